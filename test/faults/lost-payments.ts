import type { TwoOperators } from './operator';
import type { Entry } from './receiver-files';
import type { System } from './system';

interface NeverSent {
  readonly id: string;
  readonly amountMinor: bigint;
}

export const minorOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

/**
 * Two people book payments that the receiver has made and Postgres has lost. Nothing is sent in the meantime.
 */
export class LostPayments {
  private readonly booked = new Set<string>();

  constructor(
    private readonly system: System,
    private readonly operators: TwoOperators,
    private readonly channelId: string,
  ) {}

  /** Returns true if all of these payments are booked. */
  async book(paid: readonly Entry[]): Promise<boolean> {
    const known = await this.known();
    const isKnown = ({ payoutId, userId, amount }: Entry) =>
      this.booked.has(payoutId) || known.has(`${payoutId} ${userId} ${minorOf(amount)}`);
    const lost = paid.filter((entry) => !isKnown(entry));
    const sent = new Set(paid.filter(isKnown).map(({ payoutId }) => payoutId));
    for (const entry of lost) if (await this.bookOne(entry, sent)) this.booked.add(entry.payoutId);
    return lost.every(({ payoutId }) => this.booked.has(payoutId));
  }

  /** Two people end a payout as it ended at the receiver. */
  async resolve(id: string, outcome: 'paid' | 'refused', lastSentAt?: Date): Promise<void> {
    const evidence = { outcome, evidence: 'The book of the receiver.', lastSentAt };
    const approval = await this.operators.one.post(`/v1/payouts/${id}/resolve`, evidence);
    await this.operators.other.post(`/v1/approvals/${approval.id}/approve`);
  }

  /**
   * A payout made since the loss may happen to have the id, user and amount of a lost payment. It is not the
   * same payout, and is sent under another number once the finding has ended.
   */
  private async known(): Promise<Set<string>> {
    const rows = await this.system.postgres.sql<{ name: string }>(
      `select id || 'a' || attempt || ' ' || user_id || ' ' || amount_minor as name from payout
        where channel_id = $1
          and (first_sent_at is not null or date_trunc('milliseconds', created_at) <= (
            select max((detail->>'lastCallAt')::timestamptz) from payout_finding
             where channel_id = $1 and kind = 'calls-lost' and ended_at is null))`,
      [this.channelId],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * The wins of a payment may have become part of a larger payout. Then that payout is refused, and the user
   * requests the amount of the payment. Returns false while the wins are not back in the wallet.
   */
  private async bookOne({ userId, amount }: Entry, sent: ReadonlySet<string>): Promise<boolean> {
    const open = await this.neverSent(userId, sent);
    const same = open.find(({ amountMinor }) => amountMinor === minorOf(amount));
    if (same) {
      await this.resolve(same.id, 'paid');
      return true;
    }
    const sum = open.reduce((total, { amountMinor }) => total + amountMinor, await this.walletOf(userId));
    if (sum < minorOf(amount)) return false;
    for (const { id } of open) await this.resolve(id, 'refused');
    const user = this.operators.one.as(userId);
    const { id } = await user.post('/v1/me/payouts', { amount, channelId: this.channelId });
    await this.resolve(id as string, 'paid');
    return true;
  }

  private async neverSent(userId: string, sent: ReadonlySet<string>): Promise<NeverSent[]> {
    const rows = await this.system.postgres.sql<{ id: string; name: string; amountMinor: string }>(
      `select id, id || 'a' || attempt as name, amount_minor as "amountMinor" from payout
        where channel_id = $1 and user_id = $2 and ended_at is null and first_sent_at is null and state <> 'sending'
        order by id`,
      [this.channelId, userId],
    );
    return rows
      .filter(({ name }) => !sent.has(name))
      .map(({ id, amountMinor }) => ({ id, amountMinor: BigInt(amountMinor) }));
  }

  private async walletOf(userId: string): Promise<bigint> {
    const [row] = await this.system.postgres.sql<{ balance: string }>(
      `select coalesce(sum(balance_minor), 0) as balance from account where kind = 'wallet' and owner_id = $1`,
      [userId],
    );
    return BigInt(row!.balance);
  }
}
