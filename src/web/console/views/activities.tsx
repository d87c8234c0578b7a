import type { ApiClient, Schema } from '../../../../libs/client';
import { Link, refine } from '../address';
import { usePages } from '../asking';
import { momentColumn } from '../columns';
import { useProgress } from '../live';
import { Choice, Field, When } from '../parts';
import { endOf, Phase } from '../phase';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Activity = Schema<'ActivityDto'>;

const PHASES = {
  '': 'All',
  scheduled: 'Scheduled',
  open: 'Open',
  'sold-out': 'Sold out',
  closed: 'Closed',
  settled: 'Settled',
};

/** The cells of this column are filled in where the API is at hand. */
const LIVE: Column<Activity> = { name: 'progress', title: 'Left', value: () => null, isNumber: true };

const COLUMNS: readonly Column<Activity>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'name',
    title: 'Name',
    value: ({ name }) => name,
    cell: ({ id, name }) => <Link to={['activities', id]}>{name}</Link>,
  },
  {
    name: 'phase',
    title: 'Phase',
    value: ({ phase }) => phase,
    cell: (activity) => <Phase activity={activity} />,
  },
  { name: 'sponsor', title: 'Sponsor', value: ({ sponsorId }) => sponsorId },
  {
    name: 'total',
    title: 'Total',
    value: ({ totalAmount }) => Number(totalAmount),
    cell: ({ totalAmount, currency }) => `${totalAmount} ${currency}`,
    isNumber: true,
  },
  { name: 'packets', title: 'Packets', value: ({ packetCount }) => packetCount, isNumber: true },
  LIVE,
  momentColumn('opens', 'Opens', 'opensAt'),
  {
    name: 'closes',
    title: 'Closes',
    value: endOf,
    cell: (activity) => <When at={endOf(activity)} />,
  },
];

export function ActivitiesView({ api, person, address: { query } }: ViewProps) {
  const { phase = '', sponsor = '', name = '' } = query;
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/activities', {
        query: {
          limit: 50,
          cursor,
          phase: (phase || undefined) as Activity['phase'],
          sponsorId: sponsor || undefined,
          name: name || undefined,
        },
        signal,
      }),
    [api, phase, sponsor, name],
  );
  return (
    <>
      <div class="row">
        <h1>Activities</h1>
        {may(person, 'sponsor') && (
          <Link class="button" to={['activities', 'new']}>
            New activity
          </Link>
        )}
      </div>
      <div class="row">
        <Field label="Name" value={name} required={false} onValue={(value) => refine({ name: value })} />
        <Choice label="Phase" value={phase} options={PHASES} onValue={(value) => refine({ phase: value })} />
        <Field
          label="Sponsor"
          value={sponsor}
          required={false}
          onValue={(value) => refine({ sponsor: value })}
        />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table
        caption="Activities"
        columns={COLUMNS.map((column) => (column === LIVE ? liveColumn(api) : column))}
        list={list}
        keyOf={({ id }) => id}
        empty="There is no such activity."
      />
    </>
  );
}

const liveColumn = (api: ApiClient): Column<Activity> => ({
  ...LIVE,
  cell: (activity) => isRunning(activity) && <PacketsLeft api={api} activity={activity} />,
});

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
