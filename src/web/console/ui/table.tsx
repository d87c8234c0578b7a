import { type ComponentChildren, Fragment } from 'preact';
import { words } from '../words';
import { refine, useAddress } from './address';
import { AsOf } from './as-of';
import type { Paged } from './asking';
import type { RowChoice } from './bulk/row-choice';
import { ListFile } from './list-file';
import { amountText } from '../words/language';
import type { Column } from './column';
import { Complaint } from './outcome';
import { RefreshButton } from './refresh-button';

export type { Column };

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly list: Paged<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  /** Where rows can be chosen. */
  readonly choice?: RowChoice<Row>;
}

/** Shows rows as the API lists them, or sorted by the column that the address names. */
export function Table<Row>({ caption, columns, list, keyOf, empty, choice }: TableProps<Row>) {
  const { sort = '' } = useAddress().query;
  const shown = columns.filter(({ isInFilesOnly }) => !isInFilesOnly);
  const { rows, more } = list;
  return (
    <section class="table">
      <Complaint fault={list.fault} />
      {rows === undefined && !list.fault && (
        <p role="status" class="skeleton">
          {words.common.loading}
        </p>
      )}
      {rows && (
        <div class="row list-tools">
          {list.rowsAtMs !== undefined && <AsOf atMs={list.rowsAtMs} />}
          {!list.isPolled && <RefreshButton of={caption} onClick={list.ask} />}
          {rows.length > 1 && <SortChoice {...{ columns: shown, sort }} />}
          {rows.length > 0 && <ListFile {...{ caption, columns, list }} />}
        </div>
      )}
      {rows?.length === 0 && <p class="empty">{more ? words.common.noneYet : empty}</p>}
      {rows && rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
          <table onMouseOver={nameWhatIsCut}>
            <caption>{caption}</caption>
            <thead>
              <tr>
                {choice && <ChooseAll rows={rows} choice={choice} />}
                {shown.map((column) => (
                  <Head key={column.name} column={column} sort={sort} />
                ))}
              </tr>
            </thead>
            <tbody>
              {sorted(rows, columns, sort).map((row) => (
                <tr key={keyOf(row)}>
                  {choice && (
                    <td class="choice">
                      <Checkbox
                        label={words.bulk.choose(choice.nameOf(row))}
                        isChecked={choice.has(row)}
                        onChange={(isChosen) => choice.choose([row], isChosen)}
                      />
                    </td>
                  )}
                  {shown.map(({ name, title, value, cell, isNumber, isProse, isMoney }) => (
                    <td
                      key={name}
                      class={isMoney ? 'number money' : isNumber ? 'number' : isProse ? 'prose' : undefined}
                      data-name={name}
                      data-title={title}
                    >
                      {shownIn(isNumber, cell ? cell(row) : value(row))}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more && rows && columns.some((column) => isSortedBy(column, sort)) && (
        <p>{words.common.sorted(rows.length)}</p>
      )}
      {more && <button onClick={more}>{words.common.showMore}</button>}
    </section>
  );
}

/** A cell that is cut off says all of itself to a pointer that rests on it. */
function nameWhatIsCut({ target }: MouseEvent): void {
  const cell = (target as Element).closest('td');
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.innerText;
}

/** A reference may look like an amount. */
const shownIn = (isNumber: boolean | undefined, cell: ComponentChildren): ComponentChildren =>
  isNumber && typeof cell === 'string' ? amountText(cell) : cell;

function ChooseAll<Row>({
  rows,
  choice,
}: {
  readonly rows: readonly Row[];
  readonly choice: RowChoice<Row>;
}) {
  return (
    <th scope="col" class="choice" data-title={words.bulk.chooseAll}>
      <Checkbox
        label={words.bulk.chooseAll}
        isChecked={rows.every(choice.has)}
        onChange={(isChosen) => choice.choose(rows, isChosen)}
      />
    </th>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

function Checkbox({ label, isChecked, onChange }: CheckboxProps) {
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  );
}

interface SortChoiceProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: string;
}

/** Sorts the cards of a phone, which have no row of titles. */
function SortChoice<Row>({ columns, sort }: SortChoiceProps<Row>) {
  const sortable = columns.filter(({ isShownOnly }) => !isShownOnly);
  return (
    <select
      class="sort"
      aria-label={words.common.sortBy}
      value={sort}
      onChange={(event) => refine({ sort: event.currentTarget.value })}
    >
      <option value="">{words.common.sortBy}</option>
      {sortable.map(({ name, title }) => (
        <Fragment key={name}>
          <option value={name}>{title} ▲</option>
          <option value={`-${name}`}>{title} ▼</option>
        </Fragment>
      ))}
    </select>
  );
}

function Head<Row>({ column: { name, title, isNumber }, sort }: { column: Column<Row>; sort: string }) {
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  const next = { none: name, ascending: `-${name}`, descending: '' }[order];
  return (
    <th scope="col" aria-sort={order} class={isNumber ? 'number' : undefined}>
      <button class="head" onClick={() => refine({ sort: next })}>
        {title}
        <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}</span>
      </button>
    </th>
  );
}

const isSortedBy = ({ name }: { readonly name: string }, sort: string): boolean =>
  name === sort.replace(/^-/, '');

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const column = columns.find((column) => isSortedBy(column, sort));
  if (!column) return rows;
  const direction = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => direction * compare(column.value(a), column.value(b)));
}

function compare(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), undefined, { numeric: true });
}
