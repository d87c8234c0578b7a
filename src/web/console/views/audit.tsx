import type { Schema } from '../../../../libs/client';
import { usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { ChoiceFilter, TextFilter } from '../ui/filters';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import { fieldNameOf } from '../words/labels';
import type { ViewProps } from './view-props';

type Audit = Schema<'AuditDto'>;

const columns = (): readonly Column<Audit>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  momentColumn('at', words.common.when, 'at'),
  {
    name: 'actor',
    title: words.labels.actor,
    value: ({ actorId }) => actorId,
    cell: ({ actorId, via }) => (via === null ? actorId : words.audit.via(actorId, via)),
  },
  {
    name: 'action',
    title: words.audit.action,
    value: ({ action }) => action,
    cell: ({ action }) => <span title={action}>{words.audit.actions[action] ?? action}</span>,
  },
  { name: 'subject', title: words.common.of, value: ({ subject }) => subject },
  {
    name: 'change',
    title: words.audit.change,
    value: ({ after }) => wordsOf(after),
    cell: ({ before, after, detail }) => {
      const former = wordsOf(unlike(before, after));
      return (
        <>
          {former && <del>{former}</del>} {wordsOf({ ...unlike(after, before), ...detail })}
        </>
      );
    },
    isProse: true,
  },
];

export function AuditView({ api, address: { query } }: ViewProps) {
  const { actor = '', subject = '', action = '', day = '' } = query;
  const list = usePages(
    (cursor, options) =>
      api.listAuditLog(
        {
          limit: 50,
          cursor,
          actorId: actor || undefined,
          subject: subject || undefined,
          action: action || undefined,
          day: day || undefined,
        },
        options,
      ),
    [api, actor, subject, action, day],
  );
  return (
    <>
      <h1>{words.navigation.parts.audit}</h1>
      <div class="row">
        <TextFilter name="actor" label={words.labels.actor} value={actor} />
        <TextFilter name="subject" label={words.common.of} value={subject} hint={words.audit.subjectHint} />
        <ChoiceFilter
          name="action"
          label={words.audit.action}
          value={action}
          options={{ '': words.common.all, ...words.audit.actions }}
        />
        <TextFilter name="day" type="date" label={words.files.day} value={day} />
        <button onClick={list.ask}>{words.common.lookAgain}</button>
      </div>
      <Table
        caption={words.navigation.parts.audit}
        columns={columns()}
        list={list}
        keyOf={({ id }) => id}
        empty={words.audit.none}
      />
    </>
  );
}

/** Entries may lack any of their parts. */
type State = Audit['after'] | null;

/** The part of a state that differs from the other state. */
const unlike = (state: State, other: State): State =>
  Object.fromEntries(
    Object.entries(state ?? {}).filter(([name, value]) => wordOf(value) !== wordOf(other?.[name])),
  );

const wordsOf = (state: State): string =>
  Object.entries(state ?? {})
    .map(([name, value]) => words.audit.fact(fieldNameOf(name), wordOf(value)))
    .join(', ');

function wordOf(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? words.audit.yes : words.audit.no;
  if (Array.isArray(value)) return value.map(wordOf).join(' ');
  if (typeof value === 'object') return `(${wordsOf(value as State)})`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
