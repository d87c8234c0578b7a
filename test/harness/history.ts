import type { WholeRain } from './whole-rain';

const HOUR_MS = 3_600_000;

/** Activities in every state, with claims in every state, made by the system itself. */
export interface History {
  /** Open: ann and bob are paid, cem's wallet is frozen, dan is unpaid; two of six are left. */
  readonly open: string;
  readonly untouched: string;
  /** Open: one of two packets was taken when two more were added, with other bounds. */
  readonly toppedUp: string;
  /** Open: cem's packet, the only one, is void; its replacement is left. */
  readonly voided: string;
  /** Closed: ann and eve are paid, two of four packets are refunded. */
  readonly closed: string;
  readonly cancelled: string;
}

export async function writeHistory(rain: WholeRain): Promise<History> {
  const { books } = rain;
  const bounds = { kind: 'random', min: '0.20', max: '5.00' } as const;
  const open = await books.activity({ packets: 6, totalMinor: 1_000n, split: bounds });
  const untouched = await books.activity({ packets: 3 });
  const toppedUp = await books.activity({ packets: 2, hasWord: true });
  const voided = await books.activity({ packets: 1, totalMinor: 300n });
  const closed = await books.activity({ packets: 4, totalMinor: 500n });
  const cancelled = await books.activity({ packets: 2, opensInMs: HOUR_MS, closesInMs: 2 * HOUR_MS });
  for (const id of [open, untouched, toppedUp, voided, closed, cancelled]) await rain.loader.load(id);

  await books.setStatus('cem', 'frozen');
  await settle(rain, voided, 'cem');
  const [letter] = await books.letters.list('open', undefined, 1);
  await books.declareVoid(letter!.id);
  await rain.loader.extend(voided);
  await settle(rain, open, 'ann', 'bob', 'cem');
  await settle(rain, closed, 'ann', 'eve');
  await rain.grab(open, 'dan');
  await settle(rain, toppedUp, 'ann');
  await rain.topUp(toppedUp, {
    packets: 2,
    totalMinor: 2_000n,
    split: { kind: 'random', min: '9.00', max: '11.00' },
  });
  await rain.end(closed);
  await rain.end(cancelled, 'before-opening');
  return { open, untouched, toppedUp, voided, closed, cancelled };
}

const settle = async (rain: WholeRain, activityId: string, ...userIds: string[]): Promise<void> =>
  rain.books.settleConfirmed(await rain.grab(activityId, ...userIds));
