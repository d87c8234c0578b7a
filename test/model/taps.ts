import type { ModelRain, RainModel } from './rain-model';
import type { ClaimFacts, RainUnderTest } from './rain-under-test';

export interface Tap {
  readonly rain: ModelRain;
  readonly userId: string;
  /** Which process serves it. */
  readonly api: number;
}

/** Taps of one moment. The model hears every answer; `disturbed` when something may fail on the way. */
export async function tapAtOnce(
  model: RainModel,
  real: RainUnderTest,
  taps: readonly Tap[],
  disturbed = false,
): Promise<void> {
  const claims = await real.claims();
  const loaded = await Promise.all(taps.map(({ rain }) => real.isLoaded(rain.id, rain.amountsMinor.length)));
  const answers = await Promise.all(taps.map(({ api, rain, userId }) => real.grab(api, rain.id, userId)));
  for (const [i, { rain, userId }] of taps.entries()) {
    const answer = answers[i]!;
    const count = answer.kind === 'sold-out' && (taps.length === 1 || !model.redisForgot);
    const contested = answer.kind === 'won' && rain.line.waiting.length > 0;
    model.hear(rain, userId, answer, {
      claimed: claimedIn(rain, claims),
      undisturbed: loaded[i]! && !disturbed,
      free: count ? await freePackets(rain, real) : 0,
      listed: contested ? await real.listed(rain.id) : 0,
    });
  }
}

export const claimedIn = ({ id }: ModelRain, claims: readonly ClaimFacts[]): Map<string, number> =>
  new Map(claims.filter(({ rainId }) => rainId === id).map(({ userId, packetNo }) => [userId, packetNo]));

export async function freePackets(rain: ModelRain, real: RainUnderTest): Promise<number> {
  const taken = new Set((await real.held(rain.id)).values());
  for (const packetNo of claimedIn(rain, await real.claims()).values()) taken.add(packetNo);
  const known = rain.addedInSilence
    ? (await real.dispenser.standingOf(rain.id)).packetCursor
    : rain.amountsMinor.length;
  return rain.amountsMinor.filter((_, i) => i < known && !taken.has(i + 1)).length;
}
