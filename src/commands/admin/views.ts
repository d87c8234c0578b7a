import stringWidth from 'string-width';
import { printable } from './printable';

interface Page {
  readonly items: readonly object[];
  readonly nextCursor?: string | null;
}

export function pageText(page: Page, columns: readonly string[]): string {
  const more = page.nextCursor ? `\n\nMore: --cursor ${page.nextCursor}` : '';
  return page.items.length > 0 ? tableOf(page.items, columns) + more : `Nothing.${more}`;
}

/** Shows fields a line each, and each list of records as a table below them. */
export function recordText(record: object): string {
  const fields = flat(record);
  const tables = fields.filter((field): field is [string, object[]] => isTable(field[1]));
  const width = Math.max(...fields.map(([name]) => stringWidth(name)));
  const lines = fields
    .filter(([, value]) => !isTable(value))
    .map(([name, value]) => aligned([name, cellOf(value)], [width]));
  return [lines.join('\n'), ...tables.map(([name, items]) => `${name}\n${tableOf(items, keysOf(items))}`)]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function tableOf(items: readonly object[], columns: readonly string[]): string {
  const rows = items.map((item) => {
    const cells = { ...item, ...Object.fromEntries(flat(item)) } as Record<string, unknown>;
    return columns.map((column) => cellOf(cells[column]));
  });
  const lines = [[...columns], ...rows];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => stringWidth(line[i]!))));
  return lines.map((line) => aligned(line, widths)).join('\n');
}

/** Chinese characters and emoji are two columns wide, and combining marks have no width. */
function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - stringWidth(cell))))
    .join('  ')
    .trimEnd();
}

function flat(value: object, parent = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]): [string, unknown][] =>
    isRecord(part) && Object.keys(part).length > 0
      ? flat(part, `${parent}${name}.`)
      : [[printable(parent + name), part]],
  );
}

const keysOf = (items: readonly object[]): string[] => [
  ...new Set(items.flatMap((item) => flat(item).map(([name]) => name))),
];

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is object[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** A record in a cell reads `code closed, attempts 3`. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length > 0 ? value.map(cellOf).join(' ') : '-';
  if (isRecord(value)) return wordsOf(value) || '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

const wordsOf = (record: object): string =>
  flat(record)
    .map(([name, value]) => `${name} ${cellOf(value)}`)
    .join(', ');
