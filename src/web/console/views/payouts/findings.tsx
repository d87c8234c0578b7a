import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { usePages } from '../../ui/asking';
import { Bulk, type BulkDeed } from '../../ui/bulk/bulk';
import { useRowChoice } from '../../ui/bulk/row-choice';
import { momentColumn } from '../../ui/columns';
import { NONE } from '../../ui/facts';
import { ChoiceFilter, Filters } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import { currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import type { ViewProps } from '../view-props';
import { ChannelChoice } from './channels/channel-choice';
import { namesOf, useChannels, useStandings } from './channels/channels-at-hand';
import { EndFile, FindingDeeds } from './finding-deeds';
import { PayoutTabs } from './tabs';
import { factsText, kindText } from './texts';

type Finding = Schema<'FindingDto'>;

interface Channels {
  readonly names: Readonly<Record<string, string>>;
  /** The currency of a channel; undefined if it is deleted, or not read yet. */
  readonly currencyOf: (channelId: string) => string | undefined;
}

const columnsOf = ({ names, currencyOf }: Channels): readonly Column<Finding>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'kind',
    title: words.findings.what,
    value: ({ kind }) => kind,
    cell: ({ kind, detail, channelId }) => (
      <>
        {kindText(kind)}
        <br />
        <small>{factsText(withoutAmount(detail), currencyOf(channelId))}</small>
      </>
    ),
    isProse: true,
  },
  {
    name: 'amount',
    title: words.labels.amount,
    value: ({ detail }) => Number(amountIn(detail)) || null,
    cell: ({ detail, channelId }) => {
      const amount = amountIn(detail);
      const currency = (detail.currency as string | undefined) ?? currencyOf(channelId);
      return amount === undefined ? NONE : [amount, currency].filter(Boolean).join(' ');
    },
    isNumber: true,
    isMoney: true,
  },
  {
    name: 'payout',
    title: words.findings.payout,
    value: ({ payoutId }) => payoutId && Number(payoutId),
    cell: ({ payoutId }) => (payoutId ? <Link to={['payouts', payoutId]}>{payoutId}</Link> : NONE),
    isNumber: true,
  },
  {
    name: 'channel',
    title: words.labels.channelId,
    value: ({ channelId }) => names[channelId] ?? channelId,
    cell: ({ channelId }) => (
      <Link to={['payouts', 'channels', channelId]}>{names[channelId] ?? channelId}</Link>
    ),
  },
  momentColumn('found', words.findings.found, 'foundAt'),
  {
    name: 'owner',
    title: words.findings.owner,
    value: ({ owner }) => owner,
    cell: ({ owner }) => owner ?? words.findings.nobody,
  },
];

/** Undefined where a finding names none, or a file has something else there. */
const amountIn = ({ amount }: Finding['detail']): string | undefined =>
  typeof amount === 'string' && /^\d+(\.\d+)?$/.test(amount) ? amount : undefined;

/** It has a column of its own. */
function withoutAmount(detail: Finding['detail']): object {
  if (amountIn(detail) === undefined) return detail;
  const { amount: _, currency: __, ...others } = detail;
  return others;
}

const endColumns = (): readonly Column<Finding>[] => [
  momentColumn('ended', words.common.ended, 'endedAt'),
  {
    name: 'how',
    title: words.findings.how,
    value: ({ resolution }) => resolution,
    cell: ({ endedBy, resolution }) => `${endedBy}: ${resolution}`,
    isProse: true,
  },
];

/** The files with more findings than one. */
function filesOf(findings: readonly Finding[]): readonly string[] {
  const files = findings.flatMap(({ statementId }) => statementId ?? []);
  return [...new Set(files.filter((file, i) => files.indexOf(file) !== i))];
}

const keyOf = ({ id }: Finding): string => id;
const nameOf = ({ id, kind }: Finding): string => `${id} · ${kindText(kind)}`;

const bulkDeeds = (api: ApiClient): readonly BulkDeed<Finding>[] => [
  {
    title: words.findings.ownIt,
    will: words.findings.ownManyWill,
    isFor: ({ endedAt }) => endedAt === null,
    perform: ({ id }, key) => api.ownPayoutFinding(id, { key }),
  },
];

export function FindingsView({ api, person, address: { query } }: ViewProps) {
  const { state = 'open', channel = '' } = query;
  const channels = useChannels(api).value;
  const standings = useStandings(api);
  const currencies = useCurrencies(api).value;
  const names = namesOf(channels ?? []);
  const currencyOf = (channelId: string) => {
    const of = channels?.find(({ id }) => id === channelId);
    return of && currencyAmong(currencies, of.currency ?? '')?.code;
  };
  const list = usePages(
    (cursor, options) =>
      api.listPayoutFindings(
        { limit: 50, cursor, state: state as 'open' | 'ended', channelId: channel || undefined },
        options,
      ),
    [api, state, channel],
  );
  const deeds: Column<Finding> = {
    name: 'deeds',
    title: words.common.deeds,
    value: () => null,
    isShownOnly: true,
    cell: (finding) => <FindingDeeds {...{ api, finding }} onDone={list.ask} />,
  };
  const mayDecide = state !== 'ended' && may(person, 'manage-money');
  const last = state === 'ended' ? endColumns() : mayDecide ? [deeds] : [];
  const choice = useRowChoice(list.rows, keyOf, nameOf);
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts.payouts}</h1>
        {mayDecide &&
          filesOf(list.rows ?? []).map((file) => <EndFile key={file} {...{ api, file }} onDone={list.ask} />)}
      </div>
      <PayoutTabs current="findings" standings={standings.value} />
      <p class="about">{words.findings.intro}</p>
      <Filters>
        <ChoiceFilter name="state" label={words.common.state} value={state} options={words.findings.states} />
        <ChannelChoice names={names} value={channel} />
      </Filters>
      {mayDecide && <Bulk {...{ choice, keyOf }} deeds={bulkDeeds(api)} onDone={list.ask} />}
      <Table
        caption={words.findings.title}
        columns={[...columnsOf({ names, currencyOf }), ...last]}
        {...{ list, keyOf }}
        choice={mayDecide ? choice : undefined}
        empty={state === 'open' && channel === '' ? words.findings.nothing : words.common.thereAreNone}
      />
    </>
  );
}
