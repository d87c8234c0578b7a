import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { usePages } from '../../ui/asking';
import { momentColumn } from '../../ui/columns';
import { When } from '../../ui/facts';
import { ChoiceFilter, TextFilter } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { useProgress } from './live/live';
import { endOf, Phase } from './phase';

type Activity = Schema<'ActivityDto'>;

const columnsOf = (api: ApiClient): readonly Column<Activity>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'name',
    title: words.labels.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link to={['activities', id]}>{name}</Link>,
  },
  {
    name: 'phase',
    title: words.activities.phase,
    value: ({ phase }) => phase,
    cell: (activity) => <Phase activity={activity} />,
  },
  { name: 'sponsor', title: words.labels.sponsorId, value: ({ sponsorId }) => sponsorId },
  {
    name: 'total',
    title: words.common.total,
    value: ({ totalAmount }) => Number(totalAmount),
    cell: ({ totalAmount, currency }) => `${totalAmount} ${currency}`,
    isNumber: true,
  },
  { name: 'packets', title: words.common.packets, value: ({ packetCount }) => packetCount, isNumber: true },
  {
    name: 'progress',
    title: words.activities.left,
    value: () => null,
    cell: (activity) => isRunning(activity) && <PacketsLeft api={api} activity={activity} />,
    isNumber: true,
  },
  momentColumn('opens', words.labels.opensAt, 'opensAt'),
  {
    name: 'closes',
    title: words.labels.closesAt,
    value: endOf,
    cell: (activity) => <When at={endOf(activity)} />,
  },
];

export function ActivitiesView({ api, person, address: { query } }: ViewProps) {
  const { phase = '', sponsor = '', name = '' } = query;
  const list = usePages(
    (cursor, options) =>
      api.listActivities(
        {
          limit: 50,
          cursor,
          phase: (phase || undefined) as Activity['phase'],
          sponsorId: sponsor || undefined,
          name: name || undefined,
        },
        options,
      ),
    [api, phase, sponsor, name],
  );
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
      <div class="row">
        <TextFilter name="name" label={words.labels.name} value={name} />
        <ChoiceFilter
          name="phase"
          label={words.activities.phase}
          value={phase}
          options={words.activities.phases}
        />
        <TextFilter name="sponsor" label={words.labels.sponsorId} value={sponsor} />
        <button onClick={list.ask}>{words.common.lookAgain}</button>
      </div>
      <Table
        caption={words.navigation.parts.activities}
        columns={columnsOf(api)}
        list={list}
        keyOf={({ id }) => id}
        empty={words.activities.none}
      />
    </>
  );
}

const isRunning = ({ phase }: Activity): boolean => phase === 'open' || phase === 'sold-out';

/** The number of packets that are still free, while it rains. */
function PacketsLeft({ api, activity }: { readonly api: ApiClient; readonly activity: Activity }) {
  const { value } = useProgress(api, activity);
  const packetsLeft = value?.packetsLeft ?? undefined;
  if (packetsLeft === undefined) return null;
  const { packetCount } = activity;
  return (
    <>
      <progress value={packetCount - packetsLeft} max={packetCount} aria-hidden="true" /> {packetsLeft}
    </>
  );
}
