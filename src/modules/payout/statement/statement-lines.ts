import { isInstant } from '../../../platform/http';
import { FILE_COLUMNS } from '../../../../libs/payout-protocol';
import { isUserId } from '../../../../libs/user-id';
import { type Outcome, OUTCOMES } from '../payout-state';
import { statementMalformed } from '../payout.error';

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

type Cells = Readonly<Record<(typeof FILE_COLUMNS)[number], unknown>>;

const LINE_LENGTH_MAX = 2_000;
const FIRST_YEAR = '2000';
const PAYOUT_ID_LENGTH_MAX = 32;
const AMOUNT = /^(0|[1-9]\d{0,15})(\.\d{1,2})?$/;

/** A cell, or one in quotes, in which a quote is doubled. */
const CELL = /("(?:[^"]|"")*"|[^,"]*)(,|$)/gy;

/**
 * Reads a file while it arrives.
 * @throws statementMalformed naming the line
 */
export async function* readStatement(
  bytes: AsyncIterable<Uint8Array>,
  format: StatementFormat,
  batch: number,
): AsyncGenerator<StatementLine[]> {
  const cellsOf = format === 'csv' ? csvReader() : jsonCells;
  let lines: StatementLine[] = [];
  let no = 0;
  for await (const text of linesOf(bytes)) {
    no += 1;
    const cells = text === '' ? undefined : cellsOf(text, no);
    if (cells) lines.push(lineOf(cells, no));
    if (lines.length < batch) continue;
    yield lines;
    lines = [];
  }
  if (no === 0)
    throw statementMalformed('The file is empty. A day without payments has the line of columns.');
  yield lines;
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let no = 0;
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield trimmed(line, (no += 1));
    trimmed(rest, no + 1);
  }
  if (rest !== '') yield trimmed(rest, no + 1);
}

function trimmed(line: string, no: number): string {
  if (line.length > LINE_LENGTH_MAX) throw malformed(no, `is longer than ${LINE_LENGTH_MAX} characters`);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The first line names the columns, in any order. */
function csvReader(): (text: string, no: number) => Cells | undefined {
  let head: readonly string[] | undefined;
  return (text, no) => {
    const cells = csvCells(text, no);
    if (head === undefined) {
      if (FILE_COLUMNS.some((name) => cells.filter((cell) => cell === name).length !== 1))
        throw malformed(no, `has to name the columns ${FILE_COLUMNS.join(',')}, each once`);
      head = cells;
      return undefined;
    }
    if (cells.length !== head.length) throw malformed(no, `has ${cells.length} cells, not ${head.length}`);
    return Object.fromEntries(head.map((name, i) => [name, cells[i]])) as Cells;
  };
}

function csvCells(text: string, no: number): string[] {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const [, cell, end] = CELL.exec(text) ?? [];
    if (cell === undefined) throw malformed(no, 'is no CSV');
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '') return cells;
  }
}

function jsonCells(text: string, no: number): Cells {
  try {
    const cells: unknown = JSON.parse(text);
    if (typeof cells === 'object' && cells !== null && !Array.isArray(cells)) return cells as Cells;
  } catch {
    // Named below.
  }
  throw malformed(no, 'is no JSON object');
}

/** Any id is read, because one that was never sent is a finding. */
function lineOf({ payoutId, userId, amount, state, at }: Cells, no: number): StatementLine {
  if (!isUserId(payoutId) || payoutId.length > PAYOUT_ID_LENGTH_MAX) throw malformed(no, 'has no `payoutId`');
  if (!isUserId(userId)) throw malformed(no, 'has no `userId`');
  if (typeof amount !== 'string' || !AMOUNT.test(amount))
    throw malformed(no, 'has no `amount` as text such as 7.10');
  if (!OUTCOMES.some((outcome) => outcome === state))
    throw malformed(no, `has a \`state\` other than ${OUTCOMES.join(', ')}`);
  // Postgres knows fewer offsets than RFC 3339, and no year of five digits.
  const moment = isInstant(at) ? new Date(at).toISOString() : '';
  if (moment < FIRST_YEAR) throw malformed(no, 'has no instant `at` such as 2031-02-01T20:00:00Z');
  return { no, payoutId, userId, amount, state: state as Outcome, at: moment };
}

const malformed = (no: number, fault: string): Error =>
  statementMalformed(`Line ${no} ${fault}. The lines before it have been dealt with.`);
