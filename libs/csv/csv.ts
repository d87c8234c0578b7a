const LINE_END = '\r\n';

/** Quotes are for what separates cells or lines, wherever the reader comes from: some spreadsheets separate by semicolons or tabs. */
const NEEDS_QUOTES = /["\r\n,;\t]|^ | $/;

/** What a spreadsheet takes for the beginning of a formula, full-width forms included, and the mark itself. */
const LOOKS_LIKE_FORMULA = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n'])/;

const IS_NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * A line of CSV as in RFC 4180. A cell that a spreadsheet would calculate gets a `'` before it, and so does one that begins with
 * `'`: a program that drops a leading `'` has exactly what was there. Numbers stay as they are. Null is an empty cell.
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
