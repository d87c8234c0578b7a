import type { Schema } from '../../../../libs/client';
import { refine } from '../address';
import { usePages } from '../asking';
import { momentColumn } from '../columns';
import { Field } from '../parts';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Audit = Schema<'AuditDto'>;

const COLUMNS: readonly Column<Audit>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  momentColumn('at', 'When', 'at'),
  {
    name: 'actor',
    title: 'Who',
    value: ({ actorId }) => actorId,
    cell: ({ actorId, via }) => (via === null ? actorId : `${actorId} via ${via}`),
  },
  { name: 'action', title: 'Action', value: ({ action }) => action },
  { name: 'subject', title: 'Of', value: ({ subject }) => subject },
  {
    name: 'change',
    title: 'What changed',
    value: ({ after }) => wordsOf(after),
    cell: ({ before, after, detail }) => (
      <>
        {wordsOf(before) && <del>{wordsOf(before)}</del>} {wordsOf({ ...after, ...detail })}
      </>
    ),
  },
];

export function AuditView({ api, address: { query } }: ViewProps) {
  const { actor = '', subject = '' } = query;
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/audit-log', {
        query: { limit: 50, cursor, actorId: actor || undefined, subject: subject || undefined },
        signal,
      }),
    [api, actor, subject],
  );
  return (
    <>
      <h1>Audit</h1>
      <div class="row">
        <Field label="Who" value={actor} required={false} onValue={(value) => refine({ actor: value })} />
        <Field
          label="Of"
          value={subject}
          required={false}
          onValue={(value) => refine({ subject: value })}
          hint="Such as activity:7 or wallet:u1"
        />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table caption="Audit" columns={COLUMNS} list={list} keyOf={({ id }) => id} empty="There is nothing." />
    </>
  );
}

/** Entries may lack any of their parts. */
function wordsOf(state: Audit['after'] | null): string {
  return Object.entries(state ?? {})
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
