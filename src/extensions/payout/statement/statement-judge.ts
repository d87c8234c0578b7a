import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { withoutMarks } from '../../../../libs/csv';
import { parseMoney } from '../../../../libs/money';
import { isPseudonym } from '../../../../libs/user-id';
import { Currencies } from '../../../core/currency';
import { isId } from '../../../platform/http';
import { PayoutOutcomes } from '../book/payout-outcomes';
import type { OutcomeResult } from '../book/outcome.dto';
import { PayoutRepository } from '../book/payout.repository';
import { hasEnded, isUnderWay, type Outcome, type PayoutState } from '../book/payout-state';
import { withoutMark } from './csv-rows';
import type { ForeignLine, StatementBatch, StatementLine } from './statement-lines';
import { type FileFinding, type NamedPayout, StatementRepository } from './statement.repository';

/** A file that is being read. */
export interface Statement {
  readonly id: string;
  readonly channelId: string;
  /** Its lines name a payout and the attempt, as calls do. */
  readonly isCalled: boolean;
  readonly day: string;
  readonly handedInBy: string;
}

export interface Judged {
  readonly equal: number;
  readonly posted: number;
  readonly found: number;
  readonly ended: number;
}

interface Match {
  readonly line: StatementLine;
  readonly payout: NamedPayout;
  /** Another attempt has followed the one that the line names, and the line does not report a payment. */
  readonly isPast: boolean;
}

/** Compares lines of a channel's file with our books, only by our id. */
@Injectable()
export class StatementJudge {
  constructor(
    private readonly statements: StatementRepository,
    private readonly payouts: PayoutRepository,
    private readonly outcomes: PayoutOutcomes,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Compares in one transaction, and posts each payment in its own, as reports do: many together would keep
   * the accounts locked for a long time. What a line says is true without the rest of the file.
   */
  async judge(statement: Statement, batch: StatementBatch): Promise<Judged> {
    const { same, found, ended } = await this.dataSource.transaction((tx) =>
      this.compare(tx, statement, batch),
    );
    const counts = { equal: 0, posted: 0, found, ended };
    for (const { line, payout, isPast } of same) {
      const isKnown = isPast || isTold(line.state, payout.state);
      const result = isKnown ? 'unchanged' : await this.post(statement, line, payout.id);
      if (result === 'unchanged') counts.equal += 1;
      else if (result === 'applied') counts.posted += 1;
      else counts.found += 1;
    }
    return counts;
  }

  private async compare(tx: EntityManager, statement: Statement, { lines, foreign }: StatementBatch) {
    await this.statements.lockNewest(tx, statement);
    const { matches, strangers } = await this.match(tx, statement, lines);
    const agree = new Map(
      await Promise.all(matches.map(async (match) => [match, await this.isSame(match)] as const)),
    );
    const [same, others] = partition(matches, (match) => agree.get(match)!);
    const twice = await this.noteTwice(tx, statement, matches);
    const differing = new Set(others.map(({ payout }) => payout.id));
    const agreeing = same.filter(
      ({ line, payout, isPast }) => !isPast && !isUnderWay(line.state) && !differing.has(payout.id),
    );
    const ended = await this.statements.end(
      tx,
      statement,
      agreeing.map(({ line, payout }) => ({ payoutId: payout.id, state: line.state })),
    );
    const found = await this.statements.find(tx, statement, [
      ...foreign.map(foreignFinding),
      ...strangers.map((line) => finding('never-sent', line, null)),
      ...others.map(({ line, payout }) => finding('file-differs', line, payout)),
      ...twice.map(({ line, payout }) => finding('paid-twice', line, payout)),
    ]);
    return { same, found, ended };
  }

  private async match(
    tx: EntityManager,
    { channelId, isCalled }: Statement,
    lines: readonly StatementLine[],
  ) {
    const named = lines.map((line) => ({ line, ...nameIn(line.payoutId, isCalled) }));
    const ids = named.flatMap(({ id }) => id ?? []);
    const payouts = await this.statements.named(tx, channelId, ids);
    const matches: Match[] = [];
    const strangers: StatementLine[] = [];
    for (const { line, id, attempt } of named) {
      const payout = id === undefined ? undefined : payouts.get(id);
      if (payout && attempt <= payout.attempt)
        matches.push({ line, payout, isPast: attempt < payout.attempt && !isPayment(line.state) });
      else strangers.push(line);
    }
    return { matches, strangers };
  }

  private async isSame({ line: { userId, amount }, payout }: Match): Promise<boolean> {
    const { digits } = await this.currencies.ofAccount(payout.walletAccountId);
    const amountMinor = parseMoney(withoutLastZeros(amount), digits);
    return isNameOf(userId, payout.userId) && amountMinor === payout.amountMinor;
  }

  /** A payment that the file has twice was made twice. */
  private async noteTwice(tx: EntityManager, { id }: Statement, matches: readonly Match[]): Promise<Match[]> {
    const firsts = new Map<string, Match>();
    const [, paid] = partition(matches, ({ line }) => line.state !== 'paid');
    const [fresh, repeated] = partition(paid, (match) => {
      if (firsts.has(match.payout.id)) return false;
      firsts.set(match.payout.id, match);
      return true;
    });
    if (fresh.length === 0) return [];
    const known = await this.statements.state(
      tx,
      id,
      fresh.map(({ line, payout }) => ({ payoutId: payout.id, at: line.at })),
    );
    return [...repeated, ...fresh.filter(({ payout }) => known.has(payout.id))];
  }

  private post(statement: Statement, { state }: StatementLine, id: string): Promise<OutcomeResult> {
    const by = { reportedBy: statement.handedInBy, file: statement.day };
    return this.dataSource.transaction(async (tx) => {
      let payout = (await this.payouts.lock(tx, id))!;
      if (isTold(state, payout.state)) return 'unchanged';
      if (state === 'returned' && !hasEnded(payout.state)) {
        await this.outcomes.report(tx, payout, { id, outcome: 'paid' }, by);
        payout = (await this.payouts.lock(tx, id))!;
      }
      const { result } = await this.outcomes.report(tx, payout, { id, outcome: state }, by);
      if (result === 'finding') await this.statements.own(tx, statement.id, id);
      return result;
    });
  }
}

/** A spreadsheet saves 7.10 as 7.1, and a bank as 7.100. */
const withoutLastZeros = (amount: string): string =>
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;

/** A mark before a user id is the spreadsheet's, unless the user has it. Nobody knows who was forgotten. */
const isNameOf = (said: string, userId: string): boolean =>
  isPseudonym(userId) || said === userId || withoutMark(said) === userId || withoutMarks(said) === userId;

/** The id of a called channel names the attempt too, and is compared whole. */
function nameIn(payoutId: string, isCalled: boolean): { readonly id?: string; readonly attempt: number } {
  if (!isCalled) return isId(payoutId) ? { id: payoutId, attempt: 1 } : { attempt: 1 };
  const [, id, attempt] = /^(\d+)a([1-9]\d{0,8})$/.exec(payoutId) ?? [];
  return isId(id) ? { id, attempt: Number(attempt) } : { attempt: 1 };
}

/** States that are about money. Any other state of a former attempt says nothing about its successor. */
const isPayment = (said: Outcome): boolean => said === 'paid' || said === 'returned';

/** The file of a past day does not say whether the channel waits for the user now. */
const isTold = (said: Outcome, state: PayoutState): boolean =>
  said === state || (said === 'paid' && state === 'returned') || (isUnderWay(said) && isUnderWay(state));

/** The file may still know who was forgotten here. */
function finding(
  kind: FileFinding['kind'],
  { no, ...line }: StatementLine,
  payout: NamedPayout | null,
): FileFinding {
  const detail = payout && isPseudonym(payout.userId) ? { ...line, userId: payout.userId } : line;
  return {
    payoutId: payout && payout.id,
    kind,
    detail: { ...detail, line: no },
    line: JSON.stringify(detail),
  };
}

/** It does not stop the channel: one that pays what we have lost names an id that we gave. */
function foreignFinding({ no, cells }: ForeignLine): FileFinding {
  const named = Object.entries(cells).filter(([, text]) => text !== '');
  const detail = { ...Object.fromEntries(named), line: no };
  return { payoutId: null, kind: 'foreign-id', detail, line: JSON.stringify(cells) };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}
