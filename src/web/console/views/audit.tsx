import type { Schema } from '../../../../libs/client';
import { usePages } from '../ui/asking';
import { momentColumn } from '../ui/columns';
import { When } from '../ui/facts';
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import { fieldNameOf } from '../words/labels';
import { amountText, grouped, moneyText, momentText } from '../words/language';
import { spanOf } from '../words/spans';
import { type Currency, useCurrencies } from './currencies/currencies-at-hand';
import { ruleText } from './series/rule';
import { Subject } from './subject';
import type { ViewProps } from './view-props';

type Audit = Schema<'AuditDto'>;

const columnsOf = (currencies: readonly Currency[]): readonly Column<Audit>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  // The order of deeds within a minute matters here.
  { ...momentColumn('at', words.common.when, 'at'), cell: ({ at }) => <When at={at} /> },
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
    isProse: true,
  },
  {
    name: 'change',
    title: words.audit.change,
    value: (entry) => {
      const reading = readingOf(entry, currencies);
      return Object.entries(withoutTold(fieldsOf(entry.after), reading))
        .map(([path, value]) =>
          words.audit.fact(fieldNameOf(path, entry.action), wordOf(value, path, reading)),
        )
        .join(', ');
    },
    cell: (entry) => <Changes {...{ entry, currencies }} />,
    isProse: true,
  },
];

interface ChangesProps {
  readonly entry: Audit;
  readonly currencies: readonly Currency[];
}

/** Each field with what it was, if it was something else. */
function Changes({ entry, currencies }: ChangesProps) {
  const { action, before, after, detail } = entry;
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const changed = { ...unlike(is, was), ...gone(was, is), ...fieldsOf(detail) };
  const reading = readingOf(entry, currencies);
  return (
    <span class="changes">
      {Object.entries(withoutTold(changed, reading)).map(([path, value]) => (
        <span key={path}>
          <span class="name">{fieldNameOf(path, action)}</span>{' '}
          {isThere(was[path]) && <del>{wordOf(was[path], path, reading)}</del>} {wordOf(value, path, reading)}
        </span>
      ))}
    </span>
  );
}

export function AuditView({ api, address: { query } }: ViewProps) {
  const { actor = '', subject = '', action = '', day = '' } = query;
  const currencies = useCurrencies(api).value ?? [];
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
      <Filters>
        <TextFilter name="actor" label={words.labels.actor} value={actor} />
        <TextFilter name="subject" label={words.common.of} value={subject} hint={words.audit.subjectHint} />
        <ChoiceFilter
          name="action"
          label={words.audit.action}
          value={action}
          options={{ '': words.common.all, ...words.audit.actions }}
        />
        <TextFilter name="day" type="date" label={words.files.day} value={day} />
      </Filters>
      <Table
        caption={words.navigation.parts.audit}
        columns={columnsOf(currencies)}
        list={list}
        keyOf={({ id }) => id}
        empty={words.audit.none}
      />
    </>
  );
}

/** Values by their paths, such as `terms.split.kind`. */
type Fields = Readonly<Record<string, unknown>>;

/** The fields of a state, to its leaves: terms of a request are JSON in a text. Entries may lack any of their parts. */
function fieldsOf(state: object | null | undefined, within = ''): Fields {
  const fields = Object.entries(state ?? {}).map(([name, written]: [string, unknown]) => {
    const value = parsed(written);
    const path = `${within}${name}`;
    return isThere(value) && typeof value === 'object' && !Array.isArray(value)
      ? fieldsOf(value, `${path}.`)
      : { [path]: value };
  });
  return Object.assign({}, ...fields) as Fields;
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Those that differ from the others. */
const unlike = (fields: Fields, others: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([path, value]) => textOf(value) !== textOf(others[path])),
  );

/** Fields that are no longer there have no value. */
const gone = (was: Fields, is: Fields): Fields =>
  Object.fromEntries(
    Object.keys(was)
      .filter((path) => isThere(was[path]) && !(path in is))
      .map((path) => [path, null]),
  );

const textOf = (value: unknown): string => JSON.stringify(value ?? null);

/** The context in which the values of an entry are read. */
interface Reading {
  readonly action: string;
  /** The code of the currency of its amounts: entries leave out the default. Undefined until it has been read. */
  readonly currency?: string;
}

function readingOf({ action, before, after, detail }: Audit, currencies: readonly Currency[]): Reading {
  const fields = { ...fieldsOf(before), ...fieldsOf(after), ...fieldsOf(detail) };
  const named = fields.currency ?? fields['terms.currency'];
  if (typeof named === 'string') return { action, currency: named };
  const isPlay = fields.rehearsal === true || fields['terms.rehearsal'] === true;
  if (isPlay) return { action, currency: currencies.find(({ kind }) => kind === 'test')?.code };
  return { action, currency: currencies[0]?.code };
}

/** Fields whose texts are amounts. Limits of the same name are numbers. */
const AMOUNTS: readonly string[] = [
  ...['amount', 'balance', 'budgetPerDay', 'totalAmount', 'min', 'max'],
  ...['smallest', 'largest', 'perUserPerDay', 'perDay'],
];

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const isAmount = (path: string, value: unknown): boolean =>
  AMOUNTS.includes(lastOf(path)) && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);

/** The amounts name their currency. */
function withoutTold(fields: Fields, { currency }: Reading): Fields {
  if (!Object.entries(fields).some(([path, value]) => isAmount(path, value))) return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([path, value]) => lastOf(path) !== 'currency' || value !== currency),
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * A value as people read it: instants in their zone, states and kinds by their names, spans with their unit, amounts
 * with separators and their currency.
 */
function wordOf(value: unknown, path: string, reading: Reading): string {
  const name = lastOf(path);
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? words.audit.yes : words.audit.no;
  if (typeof value === 'number') return spanOf(name, value) ?? grouped(String(value));
  if (Array.isArray(value)) return listOf(value, path, reading);
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([field, one]) => wordOf(one, `${path}.${field}`, reading))
      .join(' × ');
  if (typeof value !== 'string') return JSON.stringify(value);
  if (isAmount(path, value)) return moneyText(value, reading.currency);
  if (name === 'rrule') return ruleText(value);
  if (INSTANT.test(value)) return momentText(value);
  // The clocks of a zone that is a value of its own.
  if (/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value)) return value.replace('T', ' ');
  return namesOf(name, reading.action)[value] ?? amountText(value);
}

/** Tiers and waves are lists of amounts or moments, each with a count. */
function listOf(list: readonly unknown[], path: string, reading: Reading): string {
  const { eventNames, allEvents } = words.webhooks;
  if (path === 'events' && list.length >= Object.keys(eventNames).length) return allEvents;
  return list.map((one) => wordOf(one, path, reading)).join(', ');
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return `“${value}”`;
  }
}

type Names = Readonly<Record<string, string>>;

/** The same word means another state of another thing. */
function namesOf(field: string, action: string): Names {
  if (field === 'action') return words.audit.actions;
  if (field === 'kind')
    return {
      ...{ ...words.split.kinds, ...words.pace.kinds },
      ...{ ...words.currencies.kinds, ...words.audience.kinds },
    };
  if (field === 'admission') return words.admission.kinds;
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
