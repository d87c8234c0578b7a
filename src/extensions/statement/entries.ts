import type { EntityManager } from 'typeorm';
import { type Credit, type CreditChain, NO_LINK } from '../../core/wallet';
import type { Line } from './statement';
import type { StatementRepository } from './statement.repository';

const AT_ONCE = 1_000;

export interface Walked {
  readonly accountId: string;
  readonly ownerId: string;
  readonly currency: string;
  /** The activity of the newest credit to be walked; `0` without one. */
  readonly creditIn: string;
  /** No other entry is newer than this one. */
  readonly otherId: string;
}

/**
 * The entries of an account, newest first: its credits, which form a chain, and all others, which have an index. The
 * chain ends at a credit that was archived.
 */
export class Entries {
  /** The activity of an archived credit, once the walk has reached it. */
  archivedIn?: string;
  private credit?: Line;
  private other?: Line;
  private readonly credits: AsyncGenerator<Line>;
  private readonly others: AsyncGenerator<Line>;
  private begun = false;

  constructor(
    private readonly tx: EntityManager,
    private readonly chain: CreditChain,
    private readonly repository: StatementRepository,
    private readonly walked: Walked,
  ) {
    this.credits = this.readCredits();
    this.others = this.readOthers();
  }

  /** The next entry, which stays the next one until {@link skip}. */
  async peek(): Promise<Line | undefined> {
    if (!this.begun) {
      this.begun = true;
      this.credit = await nextOf(this.credits);
      this.other = await nextOf(this.others);
    }
    return this.isCreditNext() ? this.credit : this.other;
  }

  async skip(): Promise<void> {
    await this.peek();
    if (this.isCreditNext()) this.credit = await nextOf(this.credits);
    else this.other = await nextOf(this.others);
  }

  /** Where the chain of credits continues. */
  get creditIn(): string {
    return this.credit?.activityId ?? this.archivedIn ?? NO_LINK;
  }

  private isCreditNext(): boolean {
    if (!this.credit || !this.other) return this.credit !== undefined;
    return BigInt(this.credit.transferId) > BigInt(this.other.transferId);
  }

  private async *readCredits(): AsyncGenerator<Line> {
    const { ownerId, currency, creditIn } = this.walked;
    for await (const credit of this.chain.walk(ownerId, currency, creditIn, AT_ONCE, this.tx)) {
      if (credit.id === null) {
        this.archivedIn = credit.link;
        return;
      }
      yield lineOf({ ...credit, id: credit.id });
    }
  }

  private async *readOthers(): AsyncGenerator<Line> {
    let upTo = this.walked.otherId;
    for (;;) {
      const page = await this.repository.others(this.tx, this.walked.accountId, upTo, AT_ONCE);
      yield* page;
      if (page.length < AT_ONCE) return;
      upTo = String(BigInt(page.at(-1)!.transferId) - 1n);
    }
  }
}

const nextOf = async (lines: AsyncGenerator<Line>): Promise<Line | undefined> => {
  const next = await lines.next();
  return next.done ? undefined : next.value;
};

const lineOf = ({ id, link, amountMinor, creditedAt }: Credit & { readonly id: string }): Line => ({
  transferId: id,
  kind: 'credit',
  amountMinor: BigInt(amountMinor),
  activityId: link,
  payoutId: null,
  at: creditedAt,
});
