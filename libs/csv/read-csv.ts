export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Where a line stops being CSV, counted from 1. It is open if a quote is not closed, which the next line may do. */
export interface CsvFault {
  readonly character: number;
  readonly isOpen: boolean;
}

/** A cell in quotes, in which a quote is doubled, or one without. Some programs put spaces around them. */
const cellBefore = (delimiter: Delimiter): RegExp =>
  new RegExp(`(?: *"((?:[^"]|"")*)" *|(?! *")([^${delimiter}]*))([${delimiter}]|$)`, 'y');

const CELLS: Readonly<Record<Delimiter, RegExp>> = {
  ',': cellBefore(','),
  ';': cellBefore(';'),
  '\t': cellBefore('\t'),
  '|': cellBefore('|'),
};

const OPEN = /^ *"(?:[^"]|"")*$/;

/** Returns the cells of a line without its line break, even if quoted cells span several lines. */
export function csvCells(text: string, delimiter: Delimiter): string[] | CsvFault {
  const cell = CELLS[delimiter];
  const cells: string[] = [];
  cell.lastIndex = 0;
  for (;;) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (!match) return { character: at + 1, isOpen: OPEN.test(text.slice(at)) };
    const [, quoted, plain, end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === '') return cells;
  }
}

/** Removes the marks that `csvLine` puts before anything a spreadsheet would calculate. */
export function withoutMarks(cell: string): string {
  return cell.replace(/(^|[;\t\r\n])'/g, '$1');
}
