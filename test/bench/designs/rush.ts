import type { Design } from './design';

export interface Rushed {
  readonly won: Map<string, number>;
  readonly latenciesMs: readonly number[];
  readonly seconds: number;
}

export interface RushOptions {
  readonly rainId: string;
  readonly inFlight: number;
  readonly goOn: (tapped: number) => boolean;
  readonly told?: (userId: string, amount: number) => void;
}

export async function rush(design: Design, { rainId, inFlight, goOn, told }: RushOptions): Promise<Rushed> {
  const won = new Map<string, number>();
  const latenciesMs: number[] = [];
  let tapped = 0;

  async function tap(userId: string): Promise<void> {
    const began = performance.now();
    const answer = await design.grab(rainId, userId);
    if (typeof answer !== 'number') return;
    latenciesMs.push(performance.now() - began);
    won.set(userId, answer);
    told?.(userId, answer);
  }

  const began = performance.now();
  const client = async () => {
    while (goOn(tapped)) await tap(`user-${tapped++}`);
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  return { won, latenciesMs, seconds: (performance.now() - began) / 1000 };
}

/** Checks that every packet is owned or left, and that all users have the packets they were told of. */
export async function checkRain(
  name: string,
  design: Design,
  { rainId, packets, won }: { rainId: string; packets: number; won: ReadonlyMap<string, number> },
): Promise<void> {
  await design.settled();
  const claims = await design.claims(rainId);
  const left = await design.left(rainId);
  if (claims.size + left !== packets)
    throw new Error(`${name}: ${claims.size} claims and ${left} packets left are not ${packets} packets.`);
  for (const [userId, amount] of won)
    if (claims.get(userId) !== amount)
      throw new Error(`${name}: ${userId} was told ${amount} and has ${claims.get(userId)}.`);
  const again = await Promise.all([...won.keys()].slice(0, 16).map((userId) => design.grab(rainId, userId)));
  if (again.some((answer) => typeof answer === 'number'))
    throw new Error(`${name}: a second grab of the same user was answered ${again.join(', ')}.`);
}
