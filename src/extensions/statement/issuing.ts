import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import type { KnownCurrency } from '../../core/currency';
import { CreditChain, NO_LINK } from '../../core/wallet';
import { Entries } from './entries';
import { dayOf, type Issued, type Line, type Statement, startOf } from './statement';
import { dayArchived, dayTooFar } from './statement.error';
import { type Standing, StatementRepository, type Surroundings } from './statement.repository';
import { digestsOf, TEXTS_VERSION } from './texts';

export interface Wanted extends Standing {
  readonly ownerId: string;
  readonly currency: KnownCurrency;
  readonly day: string;
}

/** Entries after the day that are looked at to find it, beside those of today. */
const LATER_ENTRIES_MAX = 100_000;

const LINES_AT_ONCE = 1_000;

/**
 * Issues the statement of a day.
 *
 * The entries of an account are in the order of their ids. The day ends with the last entry that is dated on it or
 * earlier, and begins after the last one that is dated before it. Where a neighbouring day was issued already, its
 * boundary stands: whatever was posted after that is in the day behind the boundary, as late.
 */
@Injectable()
export class Issuing {
  constructor(
    private readonly repository: StatementRepository,
    private readonly chain: CreditChain,
  ) {}

  /** @throws dayArchived, dayTooFar */
  issue(wanted: Wanted): Promise<Issued> {
    const { accountId, day } = wanted;
    return this.repository.inTurn(accountId, async (tx) => {
      const known = await this.repository.find(accountId, day, tx);
      return known ?? this.write(tx, wanted);
    });
  }

  private async write(tx: EntityManager, wanted: Wanted): Promise<Issued> {
    const around = await this.repository.surroundings(tx, wanted.accountId, wanted.day);
    const { creditIn, ...statement } = await this.cut(tx, wanted, around);
    const digests = await digestsOf(statement, wanted.currency, this.repository.pages(statement, tx));
    const issued = { ...statement, digests };
    await this.repository.insert(tx, issued, creditIn);
    return issued;
  }

  /** Writes the lines, too. */
  private async cut(
    tx: EntityManager,
    { accountId, ownerId, currency, day, since }: Wanted,
    around: Surroundings,
  ): Promise<Statement & { readonly creditIn: string }> {
    const { before, after, now } = around;
    const entries = new Entries(tx, this.chain, this.repository, {
      ...{ accountId, ownerId, currency: currency.code },
      creditIn: after?.creditIn ?? around.creditIn ?? NO_LINK,
      otherId: after?.fromId ?? around.otherId,
    });
    let balance = after?.openingMinor ?? around.balanceMinor;
    balance -= await skipLater(entries, day, dayOf(now), before?.toId);
    const closingMinor = balance;
    const isAfterIssued = before !== undefined && dayOf(new Date(startOf(day).getTime() - 1)) === before.day;
    const reachesBack = isAfterIssued || day === since;
    let toId: string | undefined;
    let movements = 0;
    const page: Line[] = [];
    for (let entry = await entries.peek(); entry; entry = await entries.peek()) {
      if (isUpTo(entry, before?.toId) || (!reachesBack && dayOf(entry.at) < day)) break;
      toId ??= entry.transferId;
      balance -= entry.amountMinor;
      movements += 1;
      page.push(entry);
      if (page.length === LINES_AT_ONCE) await this.repository.insertLines(tx, accountId, page.splice(0));
      await entries.skip();
    }
    if (page.length > 0) await this.repository.insertLines(tx, accountId, page);
    const boundary = await entries.peek();
    const isProven = isAfterIssued && before.closingMinor === balance;
    const archivedId = isProven ? undefined : await this.archivedUpTo(tx, entries, day, after?.fromId);
    const bound = !boundary || isUpTo(boundary, before?.toId) ? (before?.toId ?? '0') : boundary.transferId;
    const fromId = isAfterIssued || archivedId === undefined ? bound : highest(bound, archivedId);
    invariant(
      !isAfterIssued || before.closingMinor === balance,
      () => `Account ${accountId} does not begin ${day} with what it ended the day before.`,
    );
    return {
      ...{ accountId, day, fromId, toId: toId ?? fromId, openingMinor: balance, closingMinor, movements },
      ...{ issuedAt: now, textsVersion: TEXTS_VERSION, creditIn: entries.creditIn },
    };
  }

  /**
   * The chain may have ended at an archived credit, and older ones may still be there that nobody has walked to. The day
   * begins after all of them: just before the oldest entry that was walked, or else after the archived activity.
   * @throws dayArchived if the archived credit may be of this day
   */
  private async archivedUpTo(
    tx: EntityManager,
    { archivedIn, oldestId }: Entries,
    day: string,
    endsBeforeId: string | undefined,
  ): Promise<string | undefined> {
    if (archivedIn === undefined) return undefined;
    const seal = await this.repository.findSeal(tx, archivedIn);
    if (seal === undefined || seal.day >= day)
      throw dayArchived(`Movements of ${day} or later were archived before anybody asked for its statement.`);
    if (oldestId !== undefined) return String(BigInt(oldestId) - 1n);
    return endsBeforeId !== undefined && BigInt(endsBeforeId) < BigInt(seal.lastId)
      ? endsBeforeId
      : seal.lastId;
  }
}

const highest = (one: string, other: string): string => (BigInt(one) > BigInt(other) ? one : other);

const isUpTo = ({ transferId }: Line, id: string | undefined): boolean =>
  id !== undefined && BigInt(transferId) <= BigInt(id);

/**
 * Skips what is dated after the day, until the first entry that is not, and returns its sum.
 * @throws dayTooFar
 */
async function skipLater(
  entries: Entries,
  day: string,
  today: string,
  lowestId: string | undefined,
): Promise<bigint> {
  let sum = 0n;
  let later = 0;
  for (let entry = await entries.peek(); entry; entry = await entries.peek()) {
    const on = dayOf(entry.at);
    if (on <= day || isUpTo(entry, lowestId)) break;
    if (on < today && (later += 1) > LATER_ENTRIES_MAX)
      throw dayTooFar(`More than ${LATER_ENTRIES_MAX} movements came later: ask for ${on} first.`);
    sum += entry.amountMinor;
    await entries.skip();
  }
  return sum;
}
