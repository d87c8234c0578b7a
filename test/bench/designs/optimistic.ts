import type { PoolClient } from 'pg';
import { type Answer, type Design, type Engines, OPTIMISTIC_TRIES_MAX } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, onRainRow, readRain, takeShare, withClient } from './tables';

/** Reads the rain's row and updates it only if its version is still the same, else tries again. */
export function optimisticOnActivity({ pg }: Engines): Design {
  async function attempt(client: PoolClient, rainId: string, userId: string): Promise<Answer | undefined> {
    const rain = await readRain(client, rainId);
    return rain.packetsLeft === 0 ? 'sold-out' : takeShare(client, rain, userId);
  }

  async function take(rainId: string, userId: string): Promise<Answer> {
    for (let tries = 0; tries < OPTIMISTIC_TRIES_MAX; tries++) {
      const answer = await withClient(pg, (client) => attempt(client, rainId, userId));
      if (answer !== undefined) return answer;
    }
    return 'gave-up';
  }

  return {
    ...NOTHING_BEHIND,
    ...onRainRow(pg),
    losesNothing: true,
    remark: `up to ${OPTIMISTIC_TRIES_MAX} tries`,
    grab: (rainId, userId) => alreadyWhenRefused(take(rainId, userId)),
  };
}
