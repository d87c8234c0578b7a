import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Design, Engines } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, onRainRow, readRain, takeShare } from './tables';

const EXPIRES_MS = 10_000;
const TRIES_MAX = 200;
const PAUSE_MAX_MS = 10;

/** Only the owner releases a lock: it may have expired, and another process may hold it. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** One lock per rain in Redis; its holder reads and updates the rain's row. */
export function lockPerActivity({ pg, redis }: Engines): Design {
  async function take(rainId: string, userId: string) {
    const rain = await readRain(pg, rainId);
    if (rain.packetsLeft === 0) return 'sold-out';
    return (await takeShare(pg, rain, userId)) ?? 'gave-up';
  }

  async function acquire(key: string, token: string): Promise<boolean> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if ((await redis.set(key, token, 'PX', EXPIRES_MS, 'NX')) === 'OK') return true;
      await pause(1 + Math.random() * PAUSE_MAX_MS);
    }
    return false;
  }

  return {
    ...NOTHING_BEHIND,
    ...onRainRow(pg),
    losesNothing: true,
    remark: `up to ${TRIES_MAX} tries; a kill leaves the lock for up to ${EXPIRES_MS / 1000} s`,
    async grab(rainId, userId) {
      const key = `lock:rain:${rainId}`;
      const token = randomUUID();
      if (!(await acquire(key, token))) return 'gave-up';
      try {
        return await alreadyWhenRefused(take(rainId, userId));
      } finally {
        await redis.eval(RELEASE, 1, key, token);
      }
    },
  };
}
