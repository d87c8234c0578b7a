const LINE_END = '\r\n';

/**
 * Cells with a separator are quoted, including semicolons and tabs, which some spreadsheets use.
 */
const NEEDS_QUOTES = /["\r\n,;\t]|^ | $/;

/**
 * The places of marks: before what a spreadsheet takes for a formula, full-width forms included,
 * and before a mark. That is at the beginning and after each separator, because a spreadsheet
 * whose lists separate by semicolons or tabs cuts a cell there in spite of its quotes.
 */
const MARKED = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠]|')/g;

const IS_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Returns one line of CSV (RFC 4180). A cell that a spreadsheet would calculate gets a `'` before the
 * formula. A program that drops one `'` at the beginning and one after each semicolon, tab and line
 * break restores every cell exactly. Numbers stay as they are. Null is an empty cell.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return cells.map(cellOf).join(',') + LINE_END;
}

function cellOf(value: string | null): string {
  const text = value === null ? '' : harmless(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function harmless(text: string): string {
  return IS_NUMBER.test(text) ? text : text.replace(MARKED, "'");
}
