import { ApiProblem, type ApiClient, type Schema } from '../../../../../libs/client';
import { packetOf } from '../../../../../libs/red-packet-id';
import { may, type Person } from '../../session/staff';
import type { AskedWith } from '../../ui/asking';

/** As staff see it. */
export type Grab = Required<Omit<Schema<'ListedGrabDto'>, 'isBest' | 'thanks'>>;
type Letter = Schema<'DeadLetterDto'>;
type Batch = Schema<'FairBatchDto'>;

/** All that the API says about one win. Those who may not read wallets do not have what wallets hold. */
export interface Win {
  readonly activity: Schema<'ActivityDto'>;
  readonly grab: Grab;
  readonly credit?: Schema<'EntryDto'>;
  readonly letter?: Letter;
  /** The payouts that the user has asked for, or a rain for them, since the win was credited. */
  readonly payouts: readonly Schema<'PayoutDto'>[];
  /** The actions of staff on the claim, newest first. */
  readonly deeds: readonly Schema<'AuditDto'>[];
  /** The packets among which it was committed to. */
  readonly batch?: Batch;
}

const BATCHES_MAX = 50;

/** Undefined if the user has won nothing in this activity. */
export async function readWin(
  api: ApiClient,
  person: Person,
  { activityId, userId }: { readonly activityId: string; readonly userId: string },
  options: AskedWith,
): Promise<Win | undefined> {
  const [activity, grabs, fairness] = await Promise.all([
    api.readActivity(activityId, options),
    api.listGrabs(activityId, { userId, limit: 1 }, options),
    api.readFairness(activityId, { limit: BATCHES_MAX }, options),
  ]);
  const [grab] = grabs.items as Grab[];
  if (!grab) return undefined;
  const money = may(person, 'inspect') ? await readMoney(api, grab, options) : { payouts: [], deeds: [] };
  return { activity, grab, batch: batchOf(grab, fairness.batches), ...money };
}

async function readMoney(api: ApiClient, grab: Grab, options: AskedWith) {
  const { activityId, userId, claimId, creditedAt, currency } = grab;
  const [entries, letter, payouts, deeds] = await Promise.all([
    api.listWalletEntries(userId, { activityId, currency, kind: 'credit', limit: 1 }, options),
    readLetter(api, grab, options),
    creditedAt === null ? [] : readPayouts(api, grab, creditedAt, options),
    api.listAuditLog({ subject: `claim:${claimId}`, limit: 50 }, options),
  ]);
  return { credit: entries.items[0], letter, payouts, deeds: deeds.items };
}

/** A claim has one letter at most, in the state that its payment is in. */
async function readLetter(api: ApiClient, grab: Grab, options: AskedWith): Promise<Letter | undefined> {
  const { activityId, userId } = grab;
  for (const status of STATUSES[grab.settlement] ?? (['replayed'] as const)) {
    const { items } = await api.listDeadLetters({ activityId, userId, status, limit: 1 }, options);
    if (items[0]) return items[0];
  }
  return undefined;
}

const STATUSES: Partial<Record<Grab['settlement'], readonly Letter['status'][]>> = {
  held: ['open'],
  'dead-letter': ['open', 'resolved'],
  void: ['void'],
};

/** An installation without payouts has none. Nothing else could pay this win out. */
async function readPayouts(api: ApiClient, { userId, currency }: Grab, since: string, options: AskedWith) {
  try {
    const { items } = await api.listPayouts({ userId, limit: 50 }, options);
    return items.filter((payout) => payout.createdAt >= since && payout.currency === currency);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return [];
    throw error;
  }
}

function batchOf({ redPacketId }: Grab, batches: readonly Batch[]): Batch | undefined {
  const { no } = packetOf(redPacketId);
  return batches.find(({ firstNo, terms }) => {
    const first = Number(firstNo);
    return no >= first && no < first + Number(terms.count);
  });
}
