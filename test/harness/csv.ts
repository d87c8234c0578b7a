/**
 * Reads CSV according to RFC 4180, independently of our writer.
 * @throws Error if the text is not CSV
 */
export function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? refuse(text, at);
    line.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

/** Returns a cell without the marks that keep spreadsheets from calculating it. */
export function withoutMarks(cell: string): string {
  return cell.replace(/(^|[;\t\r\n])'/g, '$1');
}

function refuse(text: string, at: number): never {
  throw new Error(`Not CSV: ${JSON.stringify(text.slice(at, at + 100))}`);
}
