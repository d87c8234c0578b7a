import type { Design, Engines } from './design';
import { backupOf, onQueue, type Packet, queueOf, usersOf } from './queue-keys';

const STORED_TOGETHER_MAX = 1_000;

interface Won {
  readonly rainId: string;
  readonly userId: string;
  readonly text: string;
}

/** Moves a packet to a backup list and answers. Answered packets are stored later, in batches. */
export function queueWithAsynchronousStorage(engines: Engines): Design {
  const { pg, redis } = engines;
  const waiting: Won[] = [];
  let storing: Promise<void> | undefined;

  /** Stores a batch. A conflict is a packet that was handed out twice after a crash. */
  async function store(batch: readonly Won[]): Promise<void> {
    const packets = batch.map(({ text }) => JSON.parse(text) as Packet);
    await pg.query(
      `insert into rain_claim (rain_id, user_id, packet_no, amount_minor)
       select * from unnest($1::bigint[], $2::text[], $3::integer[], $4::bigint[])
       on conflict do nothing`,
      [
        batch.map(({ rainId }) => rainId),
        batch.map(({ userId }) => userId),
        packets.map(({ no }) => no),
        packets.map(({ amount }) => amount),
      ],
    );
    const pipeline = redis.pipeline();
    for (const { rainId, text } of batch) pipeline.lrem(backupOf(rainId), -1, text);
    await pipeline.exec();
  }

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) await store(waiting.splice(0, STORED_TOGETHER_MAX));
    storing = undefined;
  }

  /** The recovery thread: packets that were popped and never stored go back into the queue. */
  async function requeue(rainId: string, text: string): Promise<void> {
    const { no } = JSON.parse(text) as Packet;
    const { rowCount } = await pg.query(`select from rain_claim where rain_id = $1 and packet_no = $2`, [
      rainId,
      no,
    ]);
    const moved = redis.multi().lrem(backupOf(rainId), -1, text);
    if (rowCount === 0) moved.rpush(queueOf(rainId), text);
    await moved.exec();
  }

  return {
    ...onQueue(engines),
    losesNothing: false,
    remark: 'answers before anything is stored',
    async grab(rainId, userId) {
      if ((await redis.sadd(usersOf(rainId), userId)) === 0) return 'already';
      const text = await redis.lmove(queueOf(rainId), backupOf(rainId), 'RIGHT', 'LEFT');
      if (text === null) {
        await redis.srem(usersOf(rainId), userId);
        return 'sold-out';
      }
      waiting.push({ rainId, userId, text });
      storing ??= storeAll();
      return (JSON.parse(text) as Packet).amount;
    },
    settled: async () => storing,
    async recover(rainId) {
      for (const text of await redis.lrange(backupOf(rainId), 0, -1)) await requeue(rainId, text);
    },
    end: () => Promise.resolve(),
  };
}
