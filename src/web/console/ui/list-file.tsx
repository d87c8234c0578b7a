import { useEffect, useRef, useState } from 'preact/hooks';
import { csvLine } from '../../../../libs/csv';
import { words } from '../words';
import { type Paged, useDeed } from './asking';
import { notify } from './notices';
import { Complaint } from './outcome';
import { save } from './save';
import type { Column } from './column';

/** A page of fifty costs one request, and a user may send as many in a second as the API allows. */
const ROWS_MAX = 10_000;

interface ListFileProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: Paged<Row>;
}

/** Downloads a list as CSV: all rows that its filters let through, page after page, as the API lists them. */
export function ListFile<Row>({ caption, columns, list }: ListFileProps<Row>) {
  const deed = useDeed();
  const [read, setRead] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const said = words.listFile;
  const download = () =>
    deed.run(async () => {
      const written = columns.filter(({ isShownOnly }) => !isShownOnly);
      const parts = [csvLine(written.flatMap(titlesOf))];
      let rows = 0;
      let cursor: string | undefined;
      do {
        const page = list.readPage
          ? await list.readPage(cursor, { signal: leaving.current.signal, patient: true })
          : { items: list.rows ?? [], nextCursor: null };
        const fitting = page.items.slice(0, ROWS_MAX - rows);
        parts.push(fitting.map((row) => csvLine(written.flatMap((column) => cellsOf(column, row)))).join(''));
        setRead((rows += fitting.length));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && rows < ROWS_MAX);
      save(new Blob(parts, { type: 'text/csv' }), `${caption}.csv`);
      notify({ text: cursor === undefined ? said.done(caption, rows) : said.cut(caption, rows) });
      setRead(0);
      return undefined;
    });
  return (
    <>
      <button
        aria-label={`${said.csv}: ${caption}`}
        title={said.bound(ROWS_MAX)}
        aria-disabled={deed.isBusy}
        onClick={() => deed.isBusy || void download()}
      >
        {deed.isBusy ? said.underway(read) : said.csv}
      </button>
      <Complaint fault={deed.fault} />
    </>
  );
}

const titlesOf = <Row,>({ title, isMoney }: Column<Row>): string[] =>
  isMoney ? [title, words.listFile.currencyOf(title)] : [title];

/** Amounts as the API writes them: the numbers that they are sorted by would lose their zeros. */
function cellsOf<Row>({ value, cell, isNumber, isMoney }: Column<Row>, row: Row): (string | null)[] {
  const shown = isNumber && cell?.(row);
  if (isMoney) {
    const [amount = null, currency = null] = typeof shown === 'string' ? shown.split(' ') : [];
    return [amount, currency];
  }
  const text = typeof shown === 'string' ? shown : value(row);
  return [text === null ? null : String(text)];
}
