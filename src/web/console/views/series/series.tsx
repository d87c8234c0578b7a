import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { Link } from '../../ui/address';
import { Polled } from '../../ui/as-of';
import { useAnswer, usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { Confirmed } from '../../ui/confirmed';
import { Facts, When } from '../../ui/facts';
import { NotThere } from '../../ui/not-there';
import { ChoiceFilter, Filters, TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { momentIn } from '../../words/language';
import { spanOf } from '../../words/spans';
import { type Currency, currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { ruleText } from './rule';
import type { Series } from './series-draft';

type Occurrence = Schema<'OccurrenceDto'>;
type Refusal = Schema<'OccurrenceRefusalDto'>;

const POLL_MS = 10_000;

/** Terms without a currency are in the default. */
const moneyOf = (
  { totalAmount, currency = '', rehearsal }: Series,
  currencies: readonly Currency[] | undefined,
): string =>
  rehearsal
    ? words.series.play(totalAmount)
    : [totalAmount, currency || currencyAmong(currencies, '')?.code].filter(Boolean).join(' ');

function Status({ of: { status } }: { readonly of: Series }) {
  return <span class={`phase ${status}`}>{words.series.statuses[status]}</span>;
}

function Sponsor({ of: { sponsorId, currency } }: { readonly of: Series }) {
  return sponsorId === undefined ? null : <WalletLink userId={sponsorId} currency={currency} />;
}

const columnsIn = (currencies: readonly Currency[] | undefined): readonly Column<Series>[] => [
  {
    name: 'name',
    title: words.labels.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link to={['series', id]}>{name}</Link>,
  },
  {
    name: 'status',
    title: words.common.status,
    value: ({ status }) => words.series.statuses[status],
    cell: (series) => <Status of={series} />,
  },
  {
    name: 'sponsor',
    title: words.labels.sponsorId,
    value: ({ sponsorId }) => sponsorId ?? null,
    cell: (series) => <Sponsor of={series} />,
  },
  {
    name: 'total',
    title: words.series.total,
    value: (series) => moneyOf(series, currencies),
    isNumber: true,
  },
  { name: 'rule', title: words.series.repeats, value: ({ rrule }) => ruleText(rrule) },
  {
    name: 'next',
    title: words.series.next,
    value: ({ next }) => next?.opensAt ?? null,
    cell: ({ next }) => (
      <>
        <When at={next?.opensAt ?? null} toMinute />
        {next?.refusal && <span class="warning"> {words.series.missed[next.refusal.reason]}</span>}
      </>
    ),
  },
  {
    name: 'decided',
    title: words.series.decided,
    value: ({ decided }) => decided,
    cell: ({ decided }) => <span class={decided === 0 ? 'zero' : undefined}>{decided}</span>,
    isNumber: true,
  },
];

/** Activities that come again by a rule. */
export function SeriesListView({ api, address: { query } }: ViewProps) {
  const { sponsor = '', status = '' } = query;
  const list = usePages(
    (cursor, options) =>
      api.listSeries(
        {
          ...{ limit: 50, cursor, sponsorId: sponsor || undefined },
          status: (status || undefined) as Series['status'] | undefined,
        },
        options,
      ),
    [api, sponsor, status],
  );
  const currencies = useCurrencies(api).value;
  const said = words.series;
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts.series}</h1>
        <Link class="button main" to={['series', 'new']}>
          {said.new}
        </Link>
      </div>
      <p class="about">{said.intro}</p>
      <Filters>
        <TextFilter name="sponsor" label={words.labels.sponsorId} value={sponsor} />
        <ChoiceFilter
          name="status"
          label={words.common.status}
          value={status}
          options={{ '': said.anyStatus, ...said.statuses }}
        />
      </Filters>
      <Table
        caption={words.navigation.parts.series}
        columns={columnsIn(currencies)}
        list={list}
        keyOf={({ id }) => id}
        empty={sponsor || status ? words.common.noneFit : said.none}
      />
    </>
  );
}

const occurrenceColumns = (timeZone: string): readonly Column<Occurrence>[] => [
  { name: 'no', title: words.series.no, value: ({ no }) => no, isNumber: true },
  {
    name: 'opens',
    title: words.labels.opensAt,
    value: ({ opensAt }) => opensAt,
    cell: ({ opensAt }) => <time dateTime={opensAt}>{momentIn(timeZone, opensAt)}</time>,
  },
  {
    name: 'result',
    title: words.common.status,
    value: ({ status }) => words.series.results[status],
    cell: ({ status, activityId }) =>
      activityId === undefined ? (
        <span class="warning">{words.series.results[status]}</span>
      ) : (
        <Link to={['activities', activityId]}>{words.series.createdAs(activityId)}</Link>
      ),
  },
  {
    name: 'reason',
    title: words.labels.reason,
    value: ({ missed }) => (missed ? words.series.missed[missed.reason] : ''),
    cell: ({ missed }) => (missed ? <Reason of={missed} /> : null),
    isProse: true,
  },
  momentColumn('decided', words.series.decidedAt, 'decidedAt'),
];

/** Why there is no activity. What only the API knows, such as a field, is its tooltip. */
function Reason({ of: { reason, detail } }: { readonly of: Refusal }) {
  return <span title={detail}>{words.series.missed[reason]}</span>;
}

export function SeriesView({ api, id }: ViewProps & { readonly id: string }) {
  const series = useAnswer((options) => api.readSeries(id, options), [api, id], { everyMs: POLL_MS });
  const list = usePages(
    (cursor, options) => api.listOccurrences(id, { limit: 50, cursor }, options),
    [api, id, series.value?.decided],
  );
  const currencies = useCurrencies(api).value;
  if (series.fault?.isMissing) return <NotThere sentence={series.fault.sentence} part="series" />;
  const { value } = series;
  const said = words.series;
  return (
    <>
      <div class="row">
        <h1>
          {value?.name ?? said.title(id)} {value && <Status of={value} />}
        </h1>
        {value && <Deeds api={api} series={value} onDone={series.ask} />}
      </div>
      <Unread asked={series} />
      {value && (
        <>
          <div class="timeless">
            <Polled asked={series}>
              <div class="panel">
                <Facts leads label={said.title(id)} facts={factsOf(value, currencies)} />
              </div>
            </Polled>
          </div>
          {value.next?.refusal && <p class="warning">{said.waits(said.missed[value.next.refusal.reason])}</p>}
          <h2>{said.occurrences}</h2>
          <Table
            caption={said.occurrences}
            columns={occurrenceColumns(value.timeZone)}
            list={list}
            keyOf={({ no }) => String(no)}
            empty={said.noneYet}
          />
        </>
      )}
    </>
  );
}

function factsOf(
  series: Series,
  currencies: readonly Currency[] | undefined,
): Readonly<Record<string, ComponentChildren>> {
  const { labels, series: said } = words;
  const { next, rrule, timeZone, durationSeconds, count, until, decided, writtenBy, sponsorId } = series;
  return {
    [said.next]: next && momentIn(timeZone, next.opensAt),
    [said.total]: moneyOf(series, currencies),
    [labels.packetCount]: String(series.packetCount),
    [labels.sponsorId]: sponsorId && <Sponsor of={series} />,
    [said.repeats]: ruleText(rrule),
    [said.openFor]: spanOf('durationSeconds', durationSeconds),
    [labels.timeZone]: timeZone,
    [said.createdOn]: next && <When at={next.createsAt} />,
    [said.decided]: count === undefined ? String(decided) : said.decidedOf(decided, count),
    [labels.until]: until && <When at={until} />,
    [said.writtenBy]: writtenBy,
  };
}

interface DeedsProps {
  readonly api: ApiClient;
  readonly series: Series;
  readonly onDone: () => void;
}

function Deeds({ api, series: { id, name, status }, onDone }: DeedsProps) {
  const said = words.series;
  if (status === 'ended') return null;
  const does = (deed: 'pauseSeries' | 'resumeSeries' | 'endSeries', done: string) => async (key: string) => {
    await api[deed](id, { key });
    onDone();
    return done;
  };
  return (
    <section class="row deeds" aria-label={words.common.deeds}>
      <Link class="button" to={['series', id, 'change']} aria-label={said.change}>
        {said.short.change}
      </Link>
      {status === 'active' ? (
        <Confirmed
          title={words.series.pause}
          short={said.short.pause}
          consequence={said.pauseWill}
          onConfirm={does('pauseSeries', said.isPaused)}
        />
      ) : (
        <Confirmed
          title={words.series.resume}
          short={said.short.resume}
          consequence={said.resumeWill}
          onConfirm={does('resumeSeries', said.isResumed)}
        />
      )}
      <Confirmed
        title={words.series.end}
        short={said.short.end}
        isDangerous
        typed={name}
        consequence={said.endWill}
        onConfirm={does('endSeries', said.isEnded)}
      />
    </section>
  );
}

/** The series that an activity comes from; nothing for most activities. */
export function SeriesOf({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const found = useAnswer(
    (options) => api.listSeries({ activityId, limit: 1 }, options),
    [api, activityId],
  ).value;
  const [series] = found?.items ?? [];
  if (!series) return null;
  return (
    <p class="about">
      {words.series.partOf} <Link to={['series', series.id]}>{series.name}</Link>
    </p>
  );
}
