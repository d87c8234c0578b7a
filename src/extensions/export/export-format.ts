import { csvLine } from '../../../libs/csv';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A line by the names of its columns. All values are text. */
export type Row = Readonly<Record<string, string | null>>;

interface Format {
  readonly mediaType: string;
  readonly contentType: string;
  readonly head: (columns: string[]) => string;
  readonly line: (row: Row, columns: string[]) => string;
  readonly end: (rows: number) => string;
}

export const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  csv: {
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    head: csvLine,
    line: (row, columns) => csvLine(columns.map((column) => row[column]!)),
    end: () => '',
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson',
    head: () => '',
    line: (row, columns) => `${JSON.stringify(row, columns)}\n`,
    end: (rows) => `${JSON.stringify({ end: true, rows })}\n`,
  },
};

/** A chunk for each page. */
export async function* textOf(
  pages: AsyncIterable<readonly Row[]>,
  columns: string[],
  format: ExportFormat,
): AsyncGenerator<string> {
  const { head, line, end } = FORMATS[format];
  let text = head(columns);
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    yield text + page.map((row) => line(row, columns)).join('');
    text = '';
  }
  text += end(rows);
  if (text !== '') yield text;
}
