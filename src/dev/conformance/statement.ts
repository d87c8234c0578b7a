import { FILE_COLUMNS } from '../../../libs/payout-protocol';
import { Fault } from './receiver-client';

export interface StatementRow {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly state: string;
  readonly at: string;
}

/** Cells of RFC 4180: text, or text in quotes, in which a quote is doubled. */
const CELL = /("(?:[^"]|"")*"|[^,\r\n"]*)(,|\r?\n|$)/gy;

/** @throws Fault if it is not CSV with these columns */
export function rowsOf(csv: string): StatementRow[] {
  const [head = [], ...lines] = linesOf(csv);
  const places = FILE_COLUMNS.map((name) => head.indexOf(name));
  if (places.includes(-1))
    throw new Fault(`its first line does not name the columns ${FILE_COLUMNS.join(',')}`);
  return lines.map((cells) => {
    if (cells.length !== head.length) throw new Fault(`a line of ${cells.length} cells below ${head.length}`);
    const [payoutId, userId, amount, state, at] = places.map((place) => cells[place]!);
    return { payoutId: payoutId!, userId: userId!, amount: amount!, state: state!, at: at! };
  });
}

function linesOf(csv: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < csv.length) {
    const match = CELL.exec(csv);
    if (!match) throw new Fault('it is no CSV');
    const [, cell = '', end] = match;
    line.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}
