import { isInstant } from '../../../platform/http';
import { isPersonId } from '../../../../libs/user-id';
import { type Outcome, OUTCOMES } from '../book/payout-state';
import { statementMalformed } from './statement.error';
import { CsvRows } from './csv-rows';
import { JsonRows } from './json-rows';
import { type Column, LineFault, type Row, type Rows, shown } from './rows';
import { linesOf } from './statement-text';

export type StatementFormat = 'csv' | 'ndjson';

/** A payment, as the channel has it in its books. */
export interface StatementLine {
  readonly no: number;
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly state: Outcome;
  readonly at: string;
}

/** A line that is about no payout: its id has a form that we never give. Rows of totals have one. */
export interface ForeignLine {
  readonly no: number;
  readonly cells: Readonly<Record<Column, string>>;
}

export interface StatementBatch {
  readonly lines: readonly StatementLine[];
  readonly foreign: readonly ForeignLine[];
}

/** More than there can be payments, because some programs end each line twice. */
const EMPTY_LINES_MAX = 1_000;

const FIRST_YEAR = '2000';
const FOREIGN_CELL_LENGTH_MAX = 100;

/** Ids of channels that read and that are called. Some programs write them in capitals. */
const OWN_ID = /^[1-9]\d{0,18}(a[1-9]\d{0,8})?$/i;
const ROUNDED_ID = /^\d(\.\d+)?E\+?\d+$/i;
const AMOUNT = /^(0|[1-9]\d{0,15})(\.\d{1,20})?$/;

/**
 * Reads a file while it arrives. Lines before a malformed one are returned before it is refused.
 * @throws statementMalformed naming the line
 */
export async function* readStatement(
  bytes: AsyncIterable<Uint8Array>,
  format: StatementFormat,
  batch: number,
): AsyncGenerator<StatementBatch> {
  const lines = new LineReader(format === 'csv' ? new CsvRows() : new JsonRows());
  try {
    for await (const texts of linesOf(bytes))
      for (const text of texts) {
        lines.read(text);
        if (lines.waiting >= batch) yield lines.take();
      }
    lines.end();
  } catch (fault) {
    if (!(fault instanceof LineFault)) throw fault;
    if (lines.waiting > 0) yield lines.take();
    throw statementMalformed(`${fault.message} ${whatWasDone(lines.taken)}`);
  }
  yield lines.take();
}

function whatWasDone(lines: number): string {
  if (lines === 0) return 'Nothing of the file has been dealt with.';
  return lines === 1
    ? 'The one before it has been dealt with.'
    : `The ${lines} before it have been dealt with.`;
}

/** Collects lines until they are taken. */
class LineReader {
  taken = 0;
  private no = 0;
  private empty = 0;
  private lines: StatementLine[] = [];
  private foreign: ForeignLine[] = [];

  constructor(private readonly rows: Rows) {}

  get waiting(): number {
    return this.lines.length + this.foreign.length;
  }

  /** @throws LineFault */
  read(text: string): void {
    this.no += 1;
    const row = this.rows.read(text, this.no);
    if (row === undefined) return;
    if (row === 'empty') return this.countEmpty();
    const line = lineOf(row, this.rows);
    if ('cells' in line) this.foreign.push(line);
    else this.lines.push(line);
  }

  take(): StatementBatch {
    const { lines, foreign } = this;
    this.taken += this.waiting;
    [this.lines, this.foreign] = [[], []];
    return { lines, foreign };
  }

  /** @throws LineFault, statementMalformed */
  end(): void {
    this.rows.end();
    if (this.no === 0 || !this.rows.isComplete)
      throw statementMalformed('The file is empty. A day without payments has the line of columns.');
  }

  private countEmpty(): void {
    this.empty += 1;
    if (this.empty > EMPTY_LINES_MAX + this.taken + this.waiting)
      throw new LineFault(this.no, '', `it has no payment, as more than ${EMPTY_LINES_MAX} lines before it`);
  }
}

function lineOf({ no, cells, fault }: Row, rows: Rows): StatementLine | ForeignLine {
  const { payoutId, userId, amount, at } = cells;
  if (isForeign(cells)) return { no, cells: foreignCells(cells) };
  if (fault !== undefined) throw new LineFault(no, '', fault);
  const refuse = (column: Column, wanted: string): never => {
    throw new LineFault(no, rows.placeOf(column), faultOf(cells[column], wanted));
  };
  if (typeof payoutId !== 'string' || !OWN_ID.test(payoutId)) return refuse('payoutId', 'the id of a payout');
  if (!isPersonId(userId)) return refuse('userId', 'a user id of 1 to 128 visible ASCII characters');
  if (typeof amount !== 'string' || !AMOUNT.test(amount)) return refuse('amount', 'an amount such as 7.10');
  const state = OUTCOMES.find((outcome) => outcome === lowerCase(cells.state));
  if (state === undefined) return refuse('state', `one of ${OUTCOMES.join(', ')}`);
  // Postgres knows fewer offsets than RFC 3339, and no year of five digits.
  const instant = typeof at === 'string' ? instantOf(at) : '';
  const moment = isInstant(instant) ? new Date(instant).toISOString() : '';
  if (moment < FIRST_YEAR) return refuse('at', 'an instant such as 2031-02-01T20:00:00Z');
  return { no, payoutId: payoutId.toLowerCase(), userId, amount, state, at: moment };
}

/** Databases write a space for the `T`, and an offset without a colon or without minutes. */
const instantOf = (text: string): string =>
  text
    .replace(/^(\S{10}) (?=\d)/, '$1T')
    .replace(/([+-]\d\d)(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);

/** A sum below the column of amounts may have no name. An id that a spreadsheet has rounded was one of ours. */
function isForeign({ payoutId, userId, amount, state, at }: Row['cells']): boolean {
  if (typeof payoutId !== 'string') return false;
  if (payoutId === '') return [userId, state, at].every((cell) => cell === '') && amount !== '';
  return !OWN_ID.test(payoutId) && !ROUNDED_ID.test(payoutId);
}

function foreignCells(cells: Row['cells']): ForeignLine['cells'] {
  const { payoutId, userId, amount, state, at } = cells;
  return {
    payoutId: textOf(payoutId),
    userId: textOf(userId),
    amount: textOf(amount),
    state: textOf(state),
    at: textOf(at),
  };
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.slice(0, FOREIGN_CELL_LENGTH_MAX).replace(/\p{C}/gu, '\ufffd');
}

const lowerCase = (cell: unknown): unknown => (typeof cell === 'string' ? cell.toLowerCase() : cell);

function faultOf(cell: unknown, wanted: string): string {
  if (cell === undefined || cell === null) return 'it is missing';
  if (cell === '') return 'it is empty';
  if (typeof cell === 'string') return `it is \`${shown(cell)}\`, and has to be ${wanted}`;
  return `it is a ${Array.isArray(cell) ? 'list' : typeof cell}, and has to be text in quotes: ${wanted}`;
}
