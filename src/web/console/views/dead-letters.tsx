import type { ApiClient, Schema } from '../../../../libs/client';
import { Link, refine } from '../address';
import { usePages } from '../asking';
import { amountColumn, momentColumn, userColumn } from '../columns';
import { LETTER_REASONS } from '../money-words';
import { Choice, Confirmed, Field } from '../parts';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type DeadLetter = Schema<'DeadLetterDto'>;
type Reason = DeadLetter['reason'];

const STATUSES = { open: 'Open', replayed: 'Replayed', resolved: 'Resolved', void: 'Void' };

const COLUMNS: readonly Column<DeadLetter>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'activity',
    title: 'Activity',
    value: ({ activityId }) => Number(activityId),
    cell: ({ activityId }) => <Link to={['activities', activityId]}>{activityId}</Link>,
  },
  userColumn,
  amountColumn,
  {
    name: 'reason',
    title: 'Reason',
    value: ({ reason }) => reason,
    cell: ({ reason, lastError }) => <span title={lastError ?? undefined}>{LETTER_REASONS[reason]}</span>,
  },
  { name: 'attempts', title: 'Attempts', value: ({ attempts }) => attempts, isNumber: true },
  {
    name: 'status',
    title: 'Status',
    value: ({ status }) => status,
    cell: ({ status, resolution }) => (resolution ? `${status}: ${resolution}` : status),
  },
  momentColumn('since', 'Since', 'createdAt'),
];

export function DeadLettersView({ api, person, address: { query } }: ViewProps) {
  const { status = 'open', activity = '', user = '', reason = '' } = query;
  const filter = filterOf(activity, user, reason);
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/dead-letters', {
        query: { limit: 50, cursor, status: status as DeadLetter['status'], ...filter },
        signal,
      }),
    [api, status, activity, user, reason],
  );
  const deeds: Column<DeadLetter> = {
    name: 'deeds',
    title: 'What can be done',
    value: () => null,
    cell: (letter) => <Deeds api={api} letter={letter} onDone={list.ask} />,
  };
  const mayDecide = may(person, 'manage-money');
  return (
    <>
      <h1>Dead letters</h1>
      <p>Claims that could not be paid. Remove the cause, then replay them: each is paid exactly once.</p>
      <div class="row">
        <Choice
          label="Status"
          value={status}
          options={STATUSES}
          onValue={(value) => refine({ status: value })}
        />
        <Field
          label="Activity"
          value={activity}
          required={false}
          onValue={(value) => refine({ activity: value })}
        />
        <Field label="User" value={user} required={false} onValue={(value) => refine({ user: value })} />
        <Choice
          label="Reason"
          value={reason}
          options={{ '': 'Any', ...LETTER_REASONS }}
          onValue={(value) => refine({ reason: value })}
        />
        <button onClick={list.ask}>Look again</button>
        {mayDecide && status === 'open' && list.rows && list.rows.length > 0 && (
          <ReplayMany {...{ api, filter }} onDone={list.ask} />
        )}
      </div>
      <Table
        caption="Dead letters"
        columns={mayDecide ? [...COLUMNS, deeds] : COLUMNS}
        list={list}
        keyOf={({ id }) => id}
        empty="There are none."
      />
    </>
  );
}

interface DeedsProps {
  readonly api: ApiClient;
  readonly letter: DeadLetter;
  readonly onDone: () => void;
}

function Deeds({ api, letter, onDone }: DeedsProps) {
  const { id, userId, amount, currency, status } = letter;
  const path = { id };
  const money = `${amount} ${currency}`;
  if (status !== 'open' && status !== 'resolved') return null;
  const lettersOf = (of: string) => ({ to: ['dead-letters'], query: { status: of, user: userId } });
  const replay = async (key: string) => {
    await api.post('/v1/dead-letters/{id}/replay', { path, key });
    onDone();
    return { text: `Replayed: ${money} to ${userId}.`, ...lettersOf('replayed') };
  };
  const resolve = async (key: string, reason: string) => {
    await api.post('/v1/dead-letters/{id}/resolve', { path, body: { reason }, key });
    onDone();
    return { text: `Resolved without a payment: ${money} of ${userId}.`, ...lettersOf('resolved') };
  };
  const declareVoid = async (key: string, reason: string) => {
    const answer = await api.post('/v1/dead-letters/{id}/void', { path, body: { reason, status }, key });
    onDone();
    return 'expiresAt' in answer
      ? { text: 'Somebody else has to approve it.', to: ['approvals'] }
      : { text: `Declared void: ${money} of ${userId}.`, ...lettersOf('void') };
  };
  return (
    <span class="row">
      <Confirmed
        title="Replay"
        consequence={`${money} is paid to ${userId}, exactly once.`}
        onConfirm={replay}
      />
      {status === 'open' && (
        <Confirmed
          title="Resolve"
          reason="Reason"
          consequence={`The case ends without a payment. ${money} stays in the escrow, and it can still be replayed.`}
          onConfirm={resolve}
        />
      )}
      <Confirmed
        title="Void"
        reason="Reason"
        isDangerous
        consequence={`${userId} is never paid, and gets no other packet of this activity. ${money} goes back to the sponsor, and while the rain goes on it pays for a new packet. This cannot be undone.`}
        onConfirm={declareVoid}
      />
    </span>
  );
}

interface ReplayManyProps {
  readonly api: ApiClient;
  readonly filter: Filter;
  readonly onDone: () => void;
}

/** Replays all letters of the filter, not only those that the list shows. */
function ReplayMany({ api, filter, onDone }: ReplayManyProps) {
  const replay = async (key: string) => {
    const { replayed } = await api.post('/v1/dead-letters/replay', { body: filter, key });
    onDone();
    const { activityId: activity = '', userId: user = '', reason = '' } = filter;
    const query = { status: 'replayed', activity, user, reason };
    return { text: `${replayed} were replayed.`, to: ['dead-letters'], query };
  };
  return (
    <Confirmed
      title="Replay all of these"
      consequence={`Every open dead letter ${wordsOf(filter)} is paid, each exactly once; at most 1000 at a time. What still cannot be paid comes back.`}
      onConfirm={replay}
    />
  );
}

interface Filter {
  readonly activityId?: string;
  readonly userId?: string;
  readonly reason?: Reason;
}

const filterOf = (activity: string, user: string, reason: string): Filter => ({
  ...(activity && { activityId: activity }),
  ...(user && { userId: user }),
  ...(reason && { reason: reason as Reason }),
});

function wordsOf({ activityId, userId, reason }: Filter): string {
  const words = [
    activityId && `of activity ${activityId}`,
    userId && `of ${userId}`,
    reason && `with the reason “${LETTER_REASONS[reason]}”`,
  ].filter(Boolean);
  return words.join(' ') || 'there is';
}
