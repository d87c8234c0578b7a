import type { PoolClient } from 'pg';
import { type Answer, type Design, type Engines, OPTIMISTIC_TRIES_MAX } from './design';
import {
  alreadyWhenRefused,
  NOTHING_BEHIND,
  onRainRow,
  readRain,
  takeOptimistically,
  takeShare,
} from './tables';

/** Reads the rain's row and updates it only if its version is unchanged; otherwise tries again. */
export function optimisticOnActivity({ pg }: Engines): Design {
  async function attempt(client: PoolClient, rainId: string, userId: string): Promise<Answer | undefined> {
    const rain = await readRain(client, rainId);
    return rain.packetsLeft === 0 ? 'sold-out' : takeShare(client, rain, userId);
  }

  return {
    ...NOTHING_BEHIND,
    ...onRainRow(pg),
    losesNothing: true,
    remark: `up to ${OPTIMISTIC_TRIES_MAX} tries`,
    grab: (rainId, userId) =>
      alreadyWhenRefused(takeOptimistically(pg, (client) => attempt(client, rainId, userId))),
  };
}
