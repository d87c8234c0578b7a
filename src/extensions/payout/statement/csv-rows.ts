import { csvCells, DELIMITERS, type Delimiter } from '../../../../libs/csv';
import { FILE_COLUMNS } from '../../../../libs/payout-protocol';
import { type Column, LINE_ENDS_LOST, LineFault, type Row, type Rows, shown } from './rows';
import { LINE_LENGTH_MAX } from './statement-text';

interface Head {
  readonly delimiter: Delimiter;
  readonly width: number;
  readonly places: Readonly<Record<Column, number>>;
}

/** Some spreadsheets write, and expect, a line before the columns that names the delimiter. */
const NAMES_DELIMITER = /^"?sep=.?"?$/i;

const HAS_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** The first line names the columns, in any order. */
export class CsvRows implements Rows {
  private head?: Head;
  private open?: { readonly text: string; readonly no: number; readonly character: number };

  get isComplete(): boolean {
    return this.head !== undefined;
  }

  read(text: string, no: number): Row | 'empty' | undefined {
    if (text.length > LINE_LENGTH_MAX && this.head)
      throw new LineFault(no, '', `it is longer than ${LINE_LENGTH_MAX} characters`);
    if (this.head) return this.readRow(this.head, text, no);
    if (text.trim() === '' || NAMES_DELIMITER.test(text)) return 'empty';
    this.head = headOf(text, no);
    return undefined;
  }

  end(): void {
    if (this.open)
      throw new LineFault(this.open.no, `, character ${this.open.character}`, 'its quote is never closed');
  }

  placeOf(column: Column): string {
    return `, column ${this.head!.places[column] + 1} (\`${column}\`)`;
  }

  private readRow(head: Head, line: string, lineNo: number): Row | 'empty' | undefined {
    const { text, no } = this.open
      ? { ...this.open, text: `${this.open.text}\n${line}` }
      : { text: line, no: lineNo };
    const cells = csvCells(text, head.delimiter);
    if ('isOpen' in cells) {
      const { character, isOpen } = cells;
      if (!isOpen) throw new LineFault(no, `, character ${character}`, 'something follows a closing quote');
      this.open = { text, no, character };
      if (text.length > LINE_LENGTH_MAX) this.end();
      return undefined;
    }
    this.open = undefined;
    return isBlank(cells) || isHeading(cells, head) ? 'empty' : rowOf(cells, head, no);
  }
}

function rowOf(cells: readonly string[], { width, places }: Head, no: number): Row {
  const cellAt = (column: Column): string => (cells[places[column]] ?? '').trim();
  const isWhole = cells.length === width || (cells.length > width && isBlank(cells.slice(width)));
  return {
    no,
    cells: {
      payoutId: withoutMark(cellAt('payoutId')),
      userId: cellAt('userId'),
      amount: withoutMark(cellAt('amount')),
      state: withoutMark(cellAt('state')),
      at: withoutMark(cellAt('at')),
    },
    ...(!isWhole && { fault: `it has ${cells.length} cells, and the line of columns has ${width}` }),
  };
}

/** Spreadsheets mark text that looks like a number: '42, `42 or ="42". */
export function withoutMark(cell: string): string {
  const first = cell.charCodeAt(0);
  if (first === 0x27 || first === 0x60) return cell.slice(1);
  return first === 0x3d ? cell.replace(/^="(.*)"$/, '$1') : cell;
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Joined files repeat the line of columns. */
function isHeading(cells: readonly string[], { places }: Head): boolean {
  return FILE_COLUMNS.every((column) => nameIn(cells[places[column]] ?? '') === nameIn(column));
}

/** Databases fold the names of columns, and people write them in several words. */
const nameIn = (cell: string): string => cell.replace(/[\s_-]/g, '').toLowerCase();

function headOf(text: string, no: number): Head {
  const line = text.slice(0, LINE_LENGTH_MAX);
  const [best] = DELIMITERS.map((delimiter) => candidateOf(line, delimiter)).sort(
    (a, b) => a.missing.length - b.missing.length,
  );
  const { delimiter, names, missing, twice } = best!;
  if (missing.length <= 1 && HAS_MOMENT.test(line)) throw new LineFault(no, '', LINE_ENDS_LOST);
  if (text.length > line.length)
    throw new LineFault(no, '', `it is longer than ${LINE_LENGTH_MAX} characters`);
  if (text.trimStart().startsWith('{'))
    throw new LineFault(no, '', 'it is JSON: send the file as application/x-ndjson');
  if (missing.length + twice.length > 0) throw new LineFault(no, '', headFault(text, missing, twice));
  const places = Object.fromEntries(FILE_COLUMNS.map((column) => [column, names.indexOf(nameIn(column))]));
  return { delimiter, width: names.length, places: places as Head['places'] };
}

function candidateOf(text: string, delimiter: Delimiter) {
  const cells = csvCells(text, delimiter);
  const names = 'isOpen' in cells ? [] : cells.map(nameIn);
  const countOf = (column: Column): number => names.filter((name) => name === nameIn(column)).length;
  const missing = FILE_COLUMNS.filter((column) => countOf(column) === 0);
  const twice = FILE_COLUMNS.filter((column) => countOf(column) > 1);
  return { delimiter, names, missing, twice };
}

function headFault(text: string, missing: readonly Column[], twice: readonly Column[]): string {
  if (text.includes('\ufffd')) return 'it is not UTF-8: save the file as CSV in UTF-8';
  const columns = `the columns ${FILE_COLUMNS.join(',')}, each once`;
  if (missing.length === FILE_COLUMNS.length) return `it has to name ${columns}, and is \`${shown(text)}\``;
  const fault = missing.length > 0 ? `lacks ${missing.join(' and ')}` : `names ${twice.join(' and ')} twice`;
  return `it has to name ${columns}, but ${fault}`;
}
