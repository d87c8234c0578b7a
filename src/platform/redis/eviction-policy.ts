import type { Redis } from 'ioredis';

/** Read from INFO, because managed services often forbid CONFIG. */
export async function evictionPolicy(redis: Redis): Promise<string> {
  const info = await redis.info('memory');
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
}
