const LINE_END = '\r\n';

/** Semicolons and tabs separate the cells of some spreadsheets. */
const NEEDS_QUOTES = /["\r\n,;\t]|^ | $/;

/**
 * Places that need a mark: before what a spreadsheet takes for a formula, full-width forms
 * included, and before a mark. Some spreadsheets cut quoted cells at semicolons or tabs, so after
 * those too.
 */
const MARKED = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠]|')/g;

const IS_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Returns one line of CSV (RFC 4180); null is an empty cell. A cell that a spreadsheet would calculate gets a
 * `'` before the formula. Removing one `'` at the beginning and one after each semicolon, tab and line break
 * restores it.
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
