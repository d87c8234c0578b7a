import type { Answer, Design, Engines } from './design';
import { onQueue, type Packet, queueOf, usersOf } from './queue-keys';
import { NOTHING_BEHIND } from './tables';

/** Pops a packet from a list in Redis and writes it to Postgres before it answers. */
export function queueWithSynchronousWrite(engines: Engines): Design {
  const { pg, redis } = engines;

  async function store(rainId: string, userId: string, { no, amount }: Packet): Promise<void> {
    await pg.query(
      `insert into rain_claim (rain_id, user_id, packet_no, amount_minor) values ($1, $2, $3, $4)`,
      [rainId, userId, no, amount],
    );
  }

  async function pop(rainId: string, userId: string): Promise<Answer> {
    const text = await redis.rpop(queueOf(rainId));
    if (text === null) return 'sold-out';
    const packet = JSON.parse(text) as Packet;
    try {
      await store(rainId, userId, packet);
      return packet.amount;
    } catch (error) {
      await redis.rpush(queueOf(rainId), text);
      throw error;
    }
  }

  return {
    ...NOTHING_BEHIND,
    ...onQueue(engines),
    losesNothing: false,
    remark: 'a packet between Redis and Postgres is lost with the process',
    async grab(rainId, userId) {
      if ((await redis.sadd(usersOf(rainId), userId)) === 0) return 'already';
      const answer = await pop(rainId, userId);
      if (answer === 'sold-out') await redis.srem(usersOf(rainId), userId);
      return answer;
    },
  };
}
