import type { Found } from './command';
import { printable } from './printable';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | null;
}

export function foundPage<Item extends object>(
  page: Page<Item>,
  columns: readonly (keyof Item & string)[],
): Found {
  const more = page.nextCursor ? `\n\nMore: --cursor ${page.nextCursor}` : '';
  const text = page.items.length > 0 ? tableOf(page.items, columns) + more : `Nothing.${more}`;
  return { value: page, text };
}

export function foundOne(value: object): Found {
  return { value, text: fieldsOf(value) };
}

export function tableOf<Item extends object>(
  items: readonly Item[],
  columns: readonly (keyof Item & string)[],
): string {
  const lines = [[...columns], ...items.map((item) => columns.map((column) => cellOf(item[column])))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines.map((line) => aligned(line, widths)).join('\n');
}

export function fieldsOf(value: object): string {
  const lines = flat(value, '');
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map((line) => aligned(line, [width])).join('\n');
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => cell.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd();
}

function flat(value: object, parent: string): [name: string, value: string][] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]): [string, string][] =>
    isObject(part) ? flat(part, `${parent}${name}.`) : [[parent + name, cellOf(part)]],
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = Array.isArray(value) ? value.join(' ') : value;
  return printable(typeof text === 'string' ? text : JSON.stringify(text));
}
