import type { Installation } from './installation';

const HOUR_MS = 3_600_000;

export interface RainPhases {
  readonly open: string;
  readonly empty: string;
  readonly later: string;
  readonly closed: string;
}

/** Creates one activity for each phase that a tap can meet. */
export async function rainInEachPhase(rain: Installation): Promise<RainPhases> {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const phases = {
    open: await rain.createActivity({ packetCount: 100 }),
    empty: await rain.createActivity({ packetCount: 1 }),
    later: await rain.createActivity({ opensInMs: HOUR_MS, closesAt: inMs(2 * HOUR_MS) }),
    closed: await rain.createActivity({ packetCount: 2 }),
  };
  await rain.user('first').post(`/v1/activities/${phases.empty}/grabs`);
  await rain.operator().post(`/v1/activities/${phases.closed}/close`);
  return phases;
}
