import { useMemo } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { type AskOptions, type Paged, useAnswer, usePages } from '../../ui/asking';
import { When } from '../../ui/facts';
import { ChoiceFilter, Filters, TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { DraftList } from './creation/draft-list';
import { KeptDrafts } from './creation/kept-drafts';
import { endOf, Phase } from './phase';

type Activity = Schema<'ActivityDto'>;
/** The packets that are left, by the id of the activity. */
type Left = ReadonlyMap<string, number>;

/** The phases that are listed before all others, the last of them first. */
const FIRST: readonly Activity['phase'][] = ['scheduled', 'open'];
const PAGE = 50;
const LIST: AskOptions = { everyMs: 3_000 };
const LEFT: AskOptions = { everyMs: 1_000 };

/** The API has no phase for cancelled activities. */
function phasesToChoose(): Readonly<Record<string, string>> {
  const { cancelled: _, ...phases } = words.phases;
  return { '': words.common.all, ...phases };
}

const columnsOf = (left: Left): readonly Column<Activity>[] => [
  {
    name: 'name',
    title: words.labels.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link to={['activities', id]}>{name}</Link>,
    isProse: true,
  },
  {
    name: 'phase',
    title: words.activities.phase,
    value: ({ phase }) => phase,
    cell: (activity) => <Phase activity={activity} />,
  },
  {
    name: 'sponsor',
    title: words.labels.sponsorId,
    value: ({ sponsorId }) => sponsorId,
    cell: ({ sponsorId, currency }) => <WalletLink userId={sponsorId} currency={currency} />,
    isProse: true,
  },
  {
    name: 'total',
    title: words.common.total,
    value: ({ totalAmount }) => Number(totalAmount),
    cell: ({ totalAmount, currency }) => `${totalAmount} ${currency}`,
    isNumber: true,
    isMoney: true,
  },
  {
    name: 'packets',
    title: words.common.packets,
    value: ({ packetCount }) => packetCount,
    cell: (activity) => <Packets activity={activity} left={left} />,
    isNumber: true,
  },
  {
    name: 'opens',
    title: words.labels.opensAt,
    value: ({ opensAt }) => opensAt,
    cell: ({ opensAt }) => <When at={opensAt} toMinute />,
  },
  {
    name: 'closes',
    title: words.labels.closesAt,
    value: endOf,
    cell: (activity) => <When at={endOf(activity)} toMinute />,
  },
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
];

export function ActivitiesView({ api, person, settings, address: { query } }: ViewProps) {
  const drafts = useMemo(() => new KeptDrafts(settings.api, person.sub), [settings.api, person.sub]);
  const { phase = '', sponsor = '', name = '' } = query;
  const chosen = { limit: PAGE, sponsorId: sponsor || undefined, name: name || undefined };
  const pages = usePages(
    (cursor, options) =>
      api.listActivities({ ...chosen, cursor, phase: (phase || undefined) as Activity['phase'] }, options),
    [api, phase, sponsor, name],
    LIST,
  );
  /** Older ones, which the list does not show yet, may be open or ahead. */
  const isCut = phase === '' && pages.more !== undefined;
  const first = useAnswer(
    async (options) => {
      if (!isCut) return [];
      const read = FIRST.map((of) => api.listActivities({ ...chosen, phase: of }, options));
      return (await Promise.all(read)).flatMap(({ items }) => items);
    },
    [api, isCut, sponsor, name],
    isCut ? LIST : {},
  );
  const list = { ...pages, rows: inOrder(pages.rows, first.value) };
  const left = useLeft(api, list);
  return (
    <>
      <div class="row">
        <h1>{words.navigation.parts.activities}</h1>
        {may(person, 'sponsor') && (
          <Link class="button main" to={['activities', 'new']}>
            {words.activities.new}
          </Link>
        )}
      </div>
      {may(person, 'sponsor') && <DraftList drafts={drafts} />}
      <Filters>
        <TextFilter name="name" label={words.labels.name} value={name} />
        <ChoiceFilter name="phase" label={words.activities.phase} value={phase} options={phasesToChoose()} />
        <TextFilter name="sponsor" label={words.labels.sponsorId} value={sponsor} />
      </Filters>
      <Table
        caption={words.navigation.parts.activities}
        columns={columnsOf(left)}
        list={list}
        keyOf={({ id }) => id}
        empty={phase || sponsor || name ? words.activities.none : words.activities.noneYet}
      />
    </>
  );
}

/**
 * What is open comes first, however old it is, then what is ahead, the soonest first, and then the rest, the newest
 * first, as the API has them.
 *
 * @param first as another request found them: an activity that the list has as well is as the list has it
 */
function inOrder(
  rows: readonly Activity[] | undefined,
  first: readonly Activity[] = [],
): readonly Activity[] | undefined {
  if (!rows) return undefined;
  const listed = new Set(rows.map(({ id }) => id));
  return [...first.filter(({ id }) => !listed.has(id)), ...rows].sort(
    (a, b) =>
      FIRST.indexOf(b.phase) - FIRST.indexOf(a.phase) ||
      (a.phase === 'scheduled' ? Date.parse(a.opensAt) - Date.parse(b.opensAt) : Number(b.id) - Number(a.id)),
  );
}

/** Asks for the packets that are left of the open activities in the list. */
function useLeft(api: ApiClient, { rows = [] }: Paged<Activity>): Left {
  const ids = rows.filter(({ phase }) => phase === 'open').map(({ id }) => id);
  const { value = [] } = useAnswer(
    (options) => Promise.all(ids.map((id) => api.readActivityProgress(id, options))),
    [api, ids.join()],
    ids.length > 0 ? LEFT : {},
  );
  // An activity that has sold out or closed is not shown as open with none left: the list will say what it is.
  const open = value.filter(({ phase, packetsLeft }) => phase === 'open' && packetsLeft !== 0);
  return new Map(
    open.flatMap(({ activityId, packetsLeft }) =>
      packetsLeft === null ? [] : [[activityId, packetsLeft] as const],
    ),
  );
}

interface PacketsProps {
  readonly activity: Activity;
  readonly left: Left;
}

/** The number of packets; while it rains, also of those that are still free. */
function Packets({ activity: { id, phase, packetCount }, left }: PacketsProps) {
  const packetsLeft = phase === 'sold-out' ? 0 : left.get(id);
  // More than there are: some were added since the list was read.
  if (packetsLeft === undefined || packetsLeft > packetCount) return <>{packetCount}</>;
  return (
    <span class={packetsLeft === 0 ? 'zero' : undefined}>
      {words.activities.leftOf(packetsLeft, packetCount)}
    </span>
  );
}
