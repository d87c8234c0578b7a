const LINE_END = '\r\n';

/**
 * Cells with a separator are quoted, including semicolons and tabs, which some spreadsheets use.
 */
const NEEDS_QUOTES = /["\r\n,;\t]|^ | $/;

/**
 * The beginnings that a spreadsheet takes for a formula, full-width forms included, and the mark
 * itself.
 */
const LOOKS_LIKE_FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n'])/;

const IS_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Returns one line of CSV (RFC 4180). A cell that a spreadsheet would calculate gets a leading `'`,
 * and so does a cell that begins with `'`: a program that drops a leading `'` restores every cell
 * exactly. Numbers stay as they are. Null is an empty cell.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return cells.map(cellOf).join(',') + LINE_END;
}

function cellOf(value: string | null): string {
  const text = value === null ? '' : harmless(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function harmless(text: string): string {
  return LOOKS_LIKE_FORMULA.test(text) && !IS_NUMBER.test(text) ? `'${text}` : text;
}
