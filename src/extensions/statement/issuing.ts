import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import type { KnownCurrency } from '../../core/currency';
import { CreditChain, NO_LINK } from '../../core/wallet';
import { Cut } from './cut';
import { Entries } from './entries';
import { dayBefore, type Issued, type Line, type Statement } from './statement';
import { dayArchived, dayTooFar, dayTooLong } from './statement.error';
import { type Standing, StatementRepository, type Surroundings } from './statement.repository';
import { digestsOf, TEXTS_VERSION } from './texts';

export interface Wanted extends Standing {
  readonly ownerId: string;
  readonly currency: KnownCurrency;
  readonly day: string;
}

/** Entries after the day that one request walks past. The next request continues from there. */
export const LATER_ENTRIES_MAX = 100_000;

/** They are written in one transaction. */
const MOVEMENTS_MAX = 1_000_000;

const LINES_AT_ONCE = 1_000;

/**
 * Issues the statement of a day.
 *
 * The entries of an account are in the order of their ids, and days end where {@link Cut} says. If a neighbouring day
 * was issued before, its boundary is kept: whatever was posted since is in the day after the boundary, marked as late.
 */
@Injectable()
export class Issuing {
  constructor(
    private readonly repository: StatementRepository,
    private readonly chain: CreditChain,
  ) {}

  /** @throws dayArchived, dayTooFar, dayTooLong */
  async issue(wanted: Wanted): Promise<Issued> {
    const { accountId, day } = wanted;
    const issued = await this.repository.inTurn(accountId, async (tx) => {
      const known = await this.repository.find(accountId, day, tx);
      return known ?? this.write(tx, wanted);
    });
    if (issued === undefined)
      throw dayTooFar(
        `More than ${LATER_ENTRIES_MAX} movements came later. That many were walked past: ask again, and the walk continues from there.`,
      );
    return issued;
  }

  /** Returns undefined if the day was not reached. The next walk begins where this one has ended. */
  private async write(tx: EntityManager, wanted: Wanted): Promise<Issued | undefined> {
    const { accountId, ownerId, currency, day } = wanted;
    const around = await this.repository.surroundings(tx, accountId, day);
    const { start, before } = around;
    const entries = new Entries(tx, this.chain, this.repository, {
      ...{ accountId, ownerId, currency: currency.code },
      creditIn: start.creditIn ?? NO_LINK,
      otherId: start.upToId,
    });
    const later = start.isNextDay ? NOTHING_LATER : await walkPastLater(entries, day, before?.toId);
    const closingMinor = start.balanceMinor - later.sum;
    if (later.isTooFar) {
      const place = { upToId: String(BigInt(later.lastId!) - 1n), creditIn: entries.creditIn };
      await this.repository.keepWalk(tx, accountId, day, { ...place, balanceMinor: closingMinor });
      return undefined;
    }
    const { creditIn, ...statement } = await this.cut(tx, wanted, around, entries, {
      ...later,
      closingMinor,
    });
    const digests = await digestsOf(statement, currency, this.repository.pages(statement, tx));
    const issued = { ...statement, digests };
    await this.repository.insert(tx, issued, creditIn);
    return issued;
  }

  /** Writes the lines, too. */
  private async cut(
    tx: EntityManager,
    { accountId, day, since }: Wanted,
    { before, start, now }: Surroundings,
    entries: Entries,
    later: Later & { readonly closingMinor: bigint },
  ): Promise<Statement & { readonly creditIn: string }> {
    const { closingMinor } = later;
    const isAfterIssued = before?.day === dayBefore(day);
    const begin = isAfterIssued || day === since ? undefined : new Cut(dayBefore(day));
    let [balance, movements] = [closingMinor, 0];
    let [toId, oldestId] = [undefined as string | undefined, later.lastId];
    const page: Line[] = [];
    for await (const entry of remaining(entries, later.doubted, before?.toId)) {
      for (const line of begin ? begin.walkPast(entry) : [entry]) {
        toId ??= line.transferId;
        oldestId = line.transferId;
        balance -= line.amountMinor;
        movements += 1;
        page.push(line);
      }
      if (movements > MOVEMENTS_MAX)
        throw dayTooLong(`A statement has at most ${MOVEMENTS_MAX} movements: read this day in the history.`);
      while (page.length >= LINES_AT_ONCE)
        await this.repository.insertLines(tx, accountId, page.splice(0, LINES_AT_ONCE));
      if (begin?.isFound) break;
    }
    if (page.length > 0) await this.repository.insertLines(tx, accountId, page);
    const older = begin?.before ?? [];
    const creditBefore = older.find(({ kind }) => kind === 'credit');
    const boundary = older[0] ?? (await entries.peek());
    const isProven = isAfterIssued && before.closingMinor === balance;
    const archivedIn = isProven || creditBefore ? undefined : entries.archivedIn;
    const archivedId = archivedIn && (await this.archivedUpTo(tx, archivedIn, day, oldestId, start.upToId));
    const bound = !boundary || isUpTo(boundary, before?.toId) ? (before?.toId ?? '0') : boundary.transferId;
    const fromId = isAfterIssued || archivedId === undefined ? bound : highest(bound, archivedId);
    invariant(
      !isAfterIssued || before.closingMinor === balance,
      () => `Account ${accountId} does not begin ${day} with what it ended the day before.`,
    );
    return {
      ...{ accountId, day, fromId, toId: toId ?? fromId, openingMinor: balance, closingMinor, movements },
      ...{ issuedAt: now, textsVersion: TEXTS_VERSION },
      creditIn: creditBefore?.activityId ?? entries.creditIn,
    };
  }

  /**
   * The chain may have ended at an archived credit, beyond which older ones may remain that the walk did not reach. The
   * day begins after all of them: just before the oldest entry that was walked past, or else after the archived activity.
   * @throws dayArchived if the archived credit may be of this day
   */
  private async archivedUpTo(
    tx: EntityManager,
    archivedIn: string,
    day: string,
    oldestId: string | undefined,
    upToId: string,
  ): Promise<string> {
    const seal = await this.repository.findSeal(tx, archivedIn);
    if (seal === undefined || seal.day >= day)
      throw dayArchived(
        `Movements of ${day} or later may be among those that were archived before its statement was asked for.`,
      );
    if (oldestId !== undefined) return String(BigInt(oldestId) - 1n);
    return BigInt(upToId) < BigInt(seal.lastId) ? upToId : seal.lastId;
  }
}

const highest = (one: string, other: string): string => (BigInt(one) > BigInt(other) ? one : other);

const isUpTo = ({ transferId }: Line, id: string | undefined): boolean =>
  id !== undefined && BigInt(transferId) <= BigInt(id);

/** The entries that were passed on the way to the end of a day. */
interface Later {
  readonly sum: bigint;
  /** Undefined if nothing was later. */
  readonly lastId?: string;
  /** Entries of the day, or before it. */
  readonly doubted: readonly Line[];
  readonly isTooFar?: boolean;
}

const NOTHING_LATER: Later = { sum: 0n, doubted: [] };

async function walkPastLater(entries: Entries, day: string, lowestId: string | undefined): Promise<Later> {
  const end = new Cut(day);
  let sum = 0n;
  let lastId: string | undefined;
  for (let walked = 0; ; walked++) {
    const entry = await entries.peek();
    const doubted = end.before;
    if (!entry || end.isFound || isUpTo(entry, lowestId)) return { sum, lastId, doubted };
    if (walked >= LATER_ENTRIES_MAX && doubted.length === 0) return { sum, lastId, doubted, isTooFar: true };
    for (const later of end.walkPast(entry)) {
      sum += later.amountMinor;
      lastId = later.transferId;
    }
    await entries.skip();
  }
}

/** Entries that were walked past already, and then those that follow, as far as they are in no statement. */
async function* remaining(
  entries: Entries,
  walked: readonly Line[],
  lowestId: string | undefined,
): AsyncGenerator<Line> {
  yield* walked;
  for (let entry = await entries.peek(); entry && !isUpTo(entry, lowestId); entry = await entries.peek()) {
    await entries.skip();
    yield entry;
  }
}
