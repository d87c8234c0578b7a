import type { Schema } from '../../../../libs/client';
import { usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { ChoiceFilter, TextFilter } from '../ui/filters';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import { fieldNameOf } from '../words/labels';
import { amountText, momentText } from '../words/language';
import { Subject } from './subject';
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
  {
    name: 'subject',
    title: words.common.of,
    value: ({ subject }) => subject,
    cell: ({ subject }) => <Subject subject={subject} />,
  },
  {
    name: 'change',
    title: words.audit.change,
    value: ({ action, after }) => wordsOf(after, action),
    cell: (entry) => <Changes entry={entry} />,
    isProse: true,
  },
];

/** Each field with what it was, if it was something else. */
function Changes({ entry: { action, before, after, detail } }: { readonly entry: Audit }) {
  const changed = { ...unlike(after, before), ...unlike(gone(before, after), null), ...detail };
  return (
    <span class="changes">
      {Object.entries(changed).map(([name, value]) => {
        const former = (before as State)?.[name];
        return (
          <span key={name}>
            <span class="name">{fieldNameOf(name, action)}</span>{' '}
            {former !== undefined && former !== null && <del>{wordOf(former, name, action)}</del>}{' '}
            {wordOf(value, name, action)}
          </span>
        );
      })}
    </span>
  );
}

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
      <p class="about">{words.audit.intro}</p>
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
    Object.entries(state ?? {}).filter(([name, value]) => textOf(value) !== textOf(other?.[name])),
  );

/** Fields that are no longer there have no value. */
const gone = (before: State, after: State): State =>
  Object.fromEntries(
    Object.keys(before ?? {})
      .filter((name) => !(name in (after ?? {})))
      .map((name) => [name, '–']),
  );

const textOf = (value: unknown): string => JSON.stringify(value ?? null);

const wordsOf = (state: State, action: string): string =>
  Object.entries(state ?? {})
    .map(([name, value]) => words.audit.fact(fieldNameOf(name, action), wordOf(value, name, action)))
    .join(', ');

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value as people read it: instants in their zone, states and kinds by their names, amounts with separators. */
function wordOf(value: unknown, name: string, action: string): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? words.audit.yes : words.audit.no;
  if (Array.isArray(value)) return value.map((one) => wordOf(one, name, action)).join(', ');
  if (typeof value === 'object') return `(${wordsOf(value as State, action)})`;
  if (typeof value !== 'string') return JSON.stringify(value);
  if (INSTANT.test(value)) return momentText(value);
  // The clocks of a zone that is a value of its own.
  if (/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value)) return value.replace('T', ' ');
  if (/^[{[]/.test(value)) return wordOf(parsed(value), name, action);
  return namesOf(name, action)[value] ?? amountText(value);
}

/** Terms of a request are JSON in a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return `“${text}”`;
  }
}

type Names = Readonly<Record<string, string>>;

/** The same word means another state of another thing. */
function namesOf(field: string, action: string): Names {
  if (field === 'action') return words.audit.actions;
  if (field === 'kind') return { ...words.split.kinds, ...words.pace.kinds, ...words.currencies.kinds };
  if (field === 'events') return words.webhooks.eventNames;
  if (!['status', 'state', 'ending', 'outcome'].includes(field)) return {};
  const [noun = ''] = action.split('.');
  const states: Readonly<Record<string, Names>> = {
    activity: words.codePools.statuses,
    approval: words.approvals.statuses,
    claim: words.deadLetters.statuses,
    'dead-letter': words.deadLetters.statuses,
    payout: words.payouts.states,
    series: words.series.statuses,
    user: words.erasures.statuses,
    wallet: words.wallets.statuses,
  };
  return states[noun] ?? {};
}
