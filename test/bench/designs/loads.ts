import { Redis } from 'ioredis';
import { answerAfterCommit } from './ours';
import { pushPackets, queueOf } from './queue-keys';

const PACKETS = 50;

/** Brings one rain into Redis by two processes at once. Returns how often Redis had other packets than the rain. */
export type Loading = (times: number) => Promise<number>;

/** Reads a mark that says whether the packets were pushed, and sets it if it is not there. */
async function loadIfUnmarked(redis: Redis, rainId: string): Promise<void> {
  const mark = `rain:${rainId}:loaded`;
  if ((await redis.get(mark)) !== null) return;
  await redis.set(mark, '1');
  await pushPackets(redis, rainId, PACKETS);
}

export const byGetThenSet =
  (redisUrl: string): Loading =>
  async (times) => {
    const processes = [new Redis(redisUrl), new Redis(redisUrl)];
    let wrong = 0;
    try {
      for (let i = 0; i < times; i++) {
        const rainId = `loaded-${i}`;
        await Promise.all(processes.map((redis) => loadIfUnmarked(redis, rainId)));
        if ((await processes[0]!.llen(queueOf(rainId))) !== PACKETS) wrong += 1;
      }
    } finally {
      for (const redis of processes) redis.disconnect();
    }
    return wrong;
  };

export const byOurs =
  (databaseUrl: string, redisUrl: string): Loading =>
  async (times) => {
    const processes = await Promise.all([0, 1].map(() => answerAfterCommit(databaseUrl, redisUrl)));
    let wrong = 0;
    try {
      for (let i = 0; i < times; i++) {
        const rainId = await processes[0]!.create(PACKETS);
        await Promise.all(processes.map((one) => one.load(rainId)));
        if ((await processes[0]!.left(rainId)) !== PACKETS) wrong += 1;
      }
    } finally {
      for (const one of processes) await one.end();
    }
    return wrong;
  };
