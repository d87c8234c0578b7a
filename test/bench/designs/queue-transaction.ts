import type { Redis } from 'ioredis';
import { type Answer, type Design, type Engines, OPTIMISTIC_TRIES_MAX } from './design';
import { onQueue, type Packet, queueOf } from './queue-keys';
import { NOTHING_BEHIND } from './tables';

const winnersOf = (rainId: string): string => `rain:${rainId}:winners`;

/**
 * Reads under WATCH, takes the packet in MULTI and EXEC, and tries again if the queue has changed meanwhile.
 * The winner is written with the packet, so that nothing is lost between Redis and Postgres.
 */
export function queueWithTransaction(engines: Engines): Design {
  const { pg, redis } = engines;
  const all: Redis[] = [];
  const idle: Redis[] = [];

  /** A watch belongs to a connection, so each grab in flight has its own. */
  async function alone<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    const client = idle.pop() ?? redis.duplicate();
    if (!all.includes(client)) all.push(client);
    try {
      return await work(client);
    } finally {
      idle.push(client);
    }
  }

  async function attempt(
    client: Redis,
    rainId: string,
    userId: string,
  ): Promise<Packet | Answer | undefined> {
    const [, held, last] = (await client
      .pipeline()
      .watch(queueOf(rainId))
      .hexists(winnersOf(rainId), userId)
      .lindex(queueOf(rainId), -1)
      .exec())!.map(([, reply]) => reply);
    if (held === 1 || typeof last !== 'string') {
      await client.unwatch();
      return held === 1 ? 'already' : 'sold-out';
    }
    const done = await client.multi().rpop(queueOf(rainId)).hset(winnersOf(rainId), userId, last).exec();
    return done === null ? undefined : (JSON.parse(last) as Packet);
  }

  async function take(rainId: string, userId: string): Promise<Packet | Answer> {
    return alone(async (client) => {
      for (let tries = 0; tries < OPTIMISTIC_TRIES_MAX; tries++) {
        const taken = await attempt(client, rainId, userId);
        if (taken !== undefined) return taken;
      }
      return 'gave-up';
    });
  }

  async function store(rainId: string, userId: string, { no, amount }: Packet): Promise<void> {
    await pg.query(
      `insert into rain_claim (rain_id, user_id, packet_no, amount_minor) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [rainId, userId, no, amount],
    );
  }

  return {
    ...NOTHING_BEHIND,
    ...onQueue(engines),
    losesNothing: true,
    remark: `up to ${OPTIMISTIC_TRIES_MAX} tries; a connection to Redis for each grab in flight`,
    async grab(rainId, userId) {
      const taken = await take(rainId, userId);
      if (typeof taken !== 'object') return taken;
      await store(rainId, userId, taken);
      return taken.amount;
    },
    async recover(rainId) {
      const winners = await redis.hgetall(winnersOf(rainId));
      for (const [userId, text] of Object.entries(winners))
        await store(rainId, userId, JSON.parse(text) as Packet);
    },
    end: () => {
      for (const client of all) client.disconnect();
      return Promise.resolve();
    },
  };
}
