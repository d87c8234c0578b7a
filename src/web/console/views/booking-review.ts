import type { ApiClient, Query, Schema } from '../../../../libs/client';
import { readSettings } from '../../kit/settings';
import type { Review } from '../ui/reviewed';
import { words } from '../words';
import type { Split } from './activities/terms/split-fields';
import { moneyInWords, momentText } from '../words/language';

const DAY_MS = 86_400_000;
const LIMIT = 100;
const SHOWN_MAX = 3;

/**
 * Larger amounts are typed again. APPROVAL_ABOVE is where an installation says that one person may be
 * wrong; those that set none have one person for any sum, so from five digits on that person types it.
 */
const TYPED_ABOVE = '9999.99';

/** The API refuses anything else that is not an amount, and says why. */
const isAmount = (text: string): boolean => /^\d+(\.\d+)?$/.test(text);

const typedAgain = (amount: string, currency: string): string[] =>
  Number(amount) > Number(readSettings().approvalAbove?.[currency] ?? TYPED_ABOVE) ? [amount] : [];

const isEqual = (amount: string, other: string): boolean => Math.abs(Number(amount)) === Number(other);

const moneyOf = ({ amount, currency }: Pick<Schema<'EntryDto'>, 'amount' | 'currency'>): string =>
  `${amount.replace('-', '')} ${currency}`;

/** The wallet that a booking is about, and equal bookings. */
interface Traces {
  readonly wallet: Schema<'WalletDto'>;
  readonly latest?: Schema<'EntryDto'>;
  readonly entries: readonly Schema<'EntryDto'>[];
  readonly approvals: readonly Schema<'ApprovalDto'>[];
}

interface Sought {
  readonly ownerId: string;
  readonly amount: string;
  /** The default of the installation when left out. */
  readonly currency?: string;
  readonly lines: Pick<Query<'listWalletEntries'>, 'kind' | 'activityId'>;
  readonly action: Schema<'ApprovalDto'>['action'];
  /** The subject of the approval. */
  readonly subject: string;
}

async function tracesOf(
  api: ApiClient,
  { ownerId, amount, currency, lines, action, subject }: Sought,
): Promise<Traces> {
  const from = new Date(Date.now() - DAY_MS).toISOString();
  const [wallet, latest, ofDay, pending] = await Promise.all([
    api.readWallet(ownerId, { currency }),
    api.listWalletEntries(ownerId, { currency, limit: 1 }),
    api.listWalletEntries(ownerId, { ...lines, currency, from, limit: LIMIT }),
    api.listApprovals({ status: 'pending', limit: LIMIT }),
  ]);
  return {
    wallet,
    latest: latest.items[0],
    entries: ofDay.items.filter((entry) => isEqual(entry.amount, amount) && entry.reversedBy === null),
    approvals: pending.items.filter(
      (one) =>
        one.action === action &&
        one.subject === subject &&
        one.currency === wallet.currency &&
        isEqual(one.amount, amount),
    ),
  };
}

function factsOf({ wallet, latest }: Traces): Review['facts'] {
  const { ownerId, balance, currency, createdAt, status } = wallet;
  const said = words.review;
  return {
    [said.wallet]: ownerId,
    [said.since]: createdAt ? momentText(createdAt) : said.noneYet,
    [words.wallets.balance]: `${balance} ${currency}`,
    [words.common.status]: status === 'frozen' ? words.wallets.statuses.frozen : undefined,
    [said.latest]:
      latest && `${words.wallets.kinds[latest.kind]}, ${moneyOf(latest)}, ${momentText(latest.at)}`,
  };
}

function warningsOf({ wallet, entries, approvals }: Traces): string[] {
  const said = words.review;
  const equals = [
    ...entries.map((one) =>
      one.activityId === null
        ? said.depositedToday(moneyOf(one), momentText(one.at), one.transferId)
        : said.fundedToday(moneyOf(one), momentText(one.at), one.activityId),
    ),
    ...approvals.map((one) => said.asked(moneyOf(one), one.id, one.askedBy, momentText(one.askedAt))),
  ];
  return [...(wallet.createdAt === null ? [said.noSuchWallet(wallet.ownerId)] : []), ...shortened(equals)];
}

const shortened = (warnings: readonly string[]): string[] =>
  warnings.length > SHOWN_MAX
    ? [...warnings.slice(0, SHOWN_MAX), words.review.more(warnings.length - SHOWN_MAX)]
    : [...warnings];

const reviewOf = (consequence: string, amount: string, traces: Traces): Review => ({
  consequence,
  facts: factsOf(traces),
  warnings: warningsOf(traces),
  typed: [
    ...(traces.wallet.createdAt === null ? [traces.wallet.ownerId] : []),
    ...typedAgain(amount, traces.wallet.currency),
  ],
});

export async function reviewDeposit(
  api: ApiClient,
  { ownerId, amount, currency }: Pick<Sought, 'ownerId' | 'amount' | 'currency'>,
): Promise<Review | undefined> {
  if (!isAmount(amount)) return undefined;
  const traces = await tracesOf(api, {
    ...{ ownerId, amount, currency, lines: { kind: 'deposit' } },
    ...{ action: 'wallet.deposit', subject: `wallet:${ownerId}` },
  });
  return reviewOf(
    words.review.deposit(moneyInWords(amount, traces.wallet.currency), ownerId),
    amount,
    traces,
  );
}

/** No wallet pays, and a mistake costs nobody anything. */
const ofPlayMoney = (amount: string): Review => ({
  consequence: words.review.rehearsal(amount),
  facts: {},
  warnings: [],
  typed: [],
});

/** @param inspects whether this person may read wallets and approvals */
export async function reviewTopUp(
  api: ApiClient,
  inspects: boolean,
  activityId: string,
  amount: string,
): Promise<Review | undefined> {
  if (!isAmount(amount)) return undefined;
  const { name, sponsorId, currency, rehearsal } = await api.readActivity(activityId);
  if (rehearsal) return ofPlayMoney(amount);
  const consequence = words.review.topUp(moneyInWords(amount, currency), sponsorId, name);
  if (!inspects) return { consequence, facts: {}, warnings: [], typed: typedAgain(amount, currency) };
  const traces = await tracesOf(api, {
    ...{ ownerId: sponsorId, amount, currency, lines: { kind: 'top-up', activityId } },
    ...{ action: 'activity.top-up', subject: `activity:${activityId}` },
  });
  return reviewOf(consequence, amount, traces);
}

interface Creation extends Pick<
  Schema<'CreateActivityBody'>,
  'name' | 'totalAmount' | 'currency' | 'rehearsal' | 'packetCount'
> {
  readonly split: Split;
  readonly sponsorId: string;
}

/** @param inspects whether this person may read wallets and approvals */
export async function reviewCreation(
  api: ApiClient,
  inspects: boolean,
  { name, sponsorId, totalAmount, currency: named, rehearsal, packetCount, split }: Creation,
): Promise<Review | undefined> {
  if (!isAmount(totalAmount)) return undefined;
  if (rehearsal) return ofPlayMoney(totalAmount);
  const { currency } = await api.previewSplit({ totalAmount, currency: named, packetCount, split });
  const consequence = words.review.creation(
    moneyInWords(totalAmount, currency),
    ...([sponsorId, name, packetCount] as const),
  );
  if (!inspects) {
    const warnings = await plannedWith(api, sponsorId, totalAmount, currency);
    return { consequence, facts: {}, warnings, typed: typedAgain(totalAmount, currency) };
  }
  const traces = await tracesOf(api, {
    ...{ ownerId: sponsorId, amount: totalAmount, currency, lines: { kind: 'fund' } },
    ...{ action: 'activity.create', subject: `wallet:${sponsorId}` },
  });
  return reviewOf(consequence, totalAmount, traces);
}

/** Without the ledger, rains that have not ended are taken for those of the last day. */
async function plannedWith(
  api: ApiClient,
  sponsorId: string,
  totalAmount: string,
  currency: string,
): Promise<string[]> {
  const { items } = await api.listActivities({ sponsorId, limit: LIMIT });
  const equals = items.filter(
    (one) =>
      (one.phase === 'scheduled' || one.phase === 'open') &&
      one.currency === currency &&
      isEqual(one.totalAmount, totalAmount),
  );
  return shortened(
    equals.map((one) =>
      words.review.planned(`${one.totalAmount} ${one.currency}`, one.id, one.name, momentText(one.opensAt)),
    ),
  );
}
