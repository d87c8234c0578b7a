import type { ModelRain, RainModel, WaitCircumstances } from './rain-model';
import type { RainUnderTest } from './rain-under-test';
import { claimedIn, freePackets, type Tap } from './taps';

export async function joinInTurn(model: RainModel, real: RainUnderTest, taps: readonly Tap[]): Promise<void> {
  for (const { rain, userId } of taps) {
    const now = await circumstancesOf(rain, real, await isLoaded(rain, real));
    model.hearPlace(rain, userId, await real.join(rain.id, userId), now);
  }
}

/** The leader serves waiting users. `disturbed` means that something may fail or be left. */
export async function serveAll(
  model: RainModel,
  real: RainUnderTest,
  serve: () => Promise<unknown>,
  disturbed: boolean,
): Promise<void> {
  const loaded = await Promise.all(model.rains.map((rain) => isLoaded(rain, real)));
  await serve();
  await real.quiet();
  for (const [i, rain] of model.rains.entries()) {
    if (rain.line.waiters.length === 0) continue;
    const now = await circumstancesOf(rain, real, loaded[i]! && !disturbed);
    model.hearServed(rain, await real.waiters(rain.id), now);
    if (rain.line.served.length > 0) real.tally.note('served');
  }
}

const isLoaded = (rain: ModelRain, real: RainUnderTest): Promise<boolean> =>
  real.isLoaded(rain.id, rain.amountsMinor.length);

async function circumstancesOf(
  rain: ModelRain,
  real: RainUnderTest,
  undisturbed: boolean,
): Promise<WaitCircumstances> {
  const [claims, held] = await Promise.all([real.claims(), real.held(rain.id)]);
  const [free, listed, listedElsewhere, trusted] = await Promise.all([
    rain.closing || rain.over ? 0 : freePackets(rain, real),
    real.listed(rain.id),
    real.listedElsewhere(rain.id),
    real.parts.shardTrust.isTrusted(),
  ]);
  const holders = new Set([...claimedIn(rain, claims).keys(), ...held.keys()]);
  return { holders, undisturbed, free, listed, listedElsewhere, trusted };
}
