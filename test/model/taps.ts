import type { ModelRain, RainModel } from './rain-model';
import type { ClaimFacts, RainUnderTest } from './rain-under-test';

export interface Tap {
  readonly rain: ModelRain;
  readonly userId: string;
  readonly api: number;
}

/** Taps at the same moment. `disturbed` means that something may fail on the way. */
export async function tapAtOnce(
  model: RainModel,
  real: RainUnderTest,
  taps: readonly Tap[],
  disturbed = false,
): Promise<void> {
  const claims = await real.claims();
  const loaded = await Promise.all(taps.map(({ rain }) => real.isLoaded(rain.id, rain.amountsMinor.length)));
  const waited = new Map(taps.map((tap) => [tap, waitersBefore(tap)]));
  const answers = await Promise.all(taps.map(({ api, rain, userId }) => real.grab(api, rain.id, userId)));
  for (const rain of new Set(taps.map((tap) => tap.rain))) await noteServed(rain, real);
  for (const [i, tap] of taps.entries()) {
    const { rain, userId } = tap;
    const answer = answers[i]!;
    const count = answer.kind === 'sold-out' && (taps.length === 1 || !model.redisForgot);
    const contested =
      answer.kind === 'won' && rain.line.waiters.length > 0 && partOf(rain, answer.packet.no) === 0;
    if (answer.kind === 'won' && waited.get(tap)) real.tally.note('won while waiting');
    model.hear(rain, userId, answer, {
      claimed: claimedIn(rain, claims),
      undisturbed: loaded[i]! && !disturbed,
      free: count ? await freeToGrab(rain, real) : 0,
      listed: contested ? await real.listed(rain.id) : 0,
      spokenFor: rain.line.waiters.filter((other) => waited.get(tap)?.includes(other) ?? true).length,
    });
  }
}

function waitersBefore({ rain, userId }: Tap): string[] | undefined {
  const { waiters } = rain.line;
  return waiters.includes(userId) ? waiters.slice(0, waiters.indexOf(userId)) : undefined;
}

/** Removes users who left the line with a packet: by a tap, or because Redis learned of it. */
export async function noteServed(rain: ModelRain, real: RainUnderTest): Promise<void> {
  if (rain.line.waiters.length === 0) return;
  const [waiters, held, claims] = await Promise.all([
    real.waiters(rain.id),
    real.held(rain.id),
    real.claims(),
  ]);
  const claimed = claimedIn(rain, claims);
  for (const userId of rain.line.waiters)
    if (!waiters.includes(userId) && (held.has(userId) || claimed.has(userId))) rain.line.serve(userId);
}

export const claimedIn = ({ id }: ModelRain, claims: readonly ClaimFacts[]): Map<string, number> =>
  new Map(claims.filter(({ rainId }) => rainId === id).map(({ userId, packetNo }) => [userId, packetNo]));

/** The part that a packet lies in. Top-ups of a story are never large enough to be dealt. */
export const partOf = ({ parts, dealt }: ModelRain, no: number): number => (no <= dealt ? no % parts : 0);

/** Waiting users are served from part 0, so its free packets are theirs first. */
async function freeToGrab(rain: ModelRain, real: RainUnderTest): Promise<number> {
  const free = await freeNumbers(rain, real, rain.amountsMinor.length);
  if (rain.parts === 1) return free.length;
  const elsewhere = free.filter((no) => partOf(rain, no) !== 0).length;
  return elsewhere + Math.max(0, free.length - elsewhere - rain.line.waiters.length);
}

/** The free packets that can be given to users who wait: those that Redis knows. */
export async function freePackets(rain: ModelRain, real: RainUnderTest): Promise<number> {
  const known = rain.hasUnloadedTopUp
    ? (await real.standing(rain.id)).packetCursor
    : rain.amountsMinor.length;
  return (await freeNumbers(rain, real, known)).length;
}

async function freeNumbers(rain: ModelRain, real: RainUnderTest, known: number): Promise<number[]> {
  const taken = new Set((await real.held(rain.id)).values());
  for (const packetNo of claimedIn(rain, await real.claims()).values()) taken.add(packetNo);
  return rain.amountsMinor.map((_, i) => i + 1).filter((no) => no <= known && !taken.has(no));
}
