import type { Schema } from '../../../../libs/client';
import { refine } from '../address';
import { usePages } from '../asking';
import { amountColumn, momentColumn } from '../columns';
import type { Notice } from '../notices';
import { Choice, Confirmed } from '../parts';
import { may } from '../staff';
import { type Column, Table } from '../table';
import type { ViewProps } from '../view-props';

type Approval = Schema<'ApprovalDto'>;

const STATUSES = {
  '': 'All',
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
};
const ACTIONS: Readonly<Record<Approval['action'], string>> = {
  'wallet.deposit': 'Deposit',
  'dead-letter.void': 'Declare void',
  'activity.create': 'Create activity',
  'activity.top-up': 'Top up',
  'payout.reserve': 'Pay out',
  'payout.resolve': 'Resolve payout',
};

const COLUMNS: readonly Column<Approval>[] = [
  { name: 'id', title: 'Id', value: ({ id }) => Number(id), isNumber: true },
  { name: 'action', title: 'What', value: ({ action }) => action, cell: ({ action }) => ACTIONS[action] },
  { name: 'subject', title: 'Of', value: ({ subject }) => subject },
  amountColumn,
  { name: 'terms', title: 'Reference or reason', value: termsOf },
  { name: 'by', title: 'Asked by', value: ({ askedBy }) => askedBy },
  momentColumn('asked', 'Asked', 'askedAt'),
  momentColumn('until', 'Until', 'expiresAt'),
  {
    name: 'status',
    title: 'Status',
    value: ({ status }) => status,
    cell: ({ status, decidedBy }) => (decidedBy ? `${status} by ${decidedBy}` : status),
  },
];

/** The request and its reason, as far as the other columns do not say them. */
function termsOf({ action, terms }: Approval): string {
  switch (action) {
    case 'wallet.deposit':
      return terms.reference ? `Reference: ${terms.reference}` : 'No reference';
    case 'dead-letter.void':
      return `Claim ${terms.claimId} of ${terms.userId}, activity ${terms.activityId}. Reason: ${terms.reason}`;
    case 'activity.create':
      return `"${terms.name}", ${terms.packetCount} packets, from ${terms.opensAt} to ${terms.closesAt}`;
    case 'activity.top-up':
      return `${terms.packetCount} packets`;
    case 'payout.reserve':
      return `To ${terms.userId}, channel ${terms.channelId}`;
    case 'payout.resolve':
      return `Of ${terms.userId}, channel ${terms.channelId}: it was ${terms.outcome}. Evidence: ${terms.evidence}`;
  }
}

const summaryOf = ({ action, amount, currency, subject }: Approval): string =>
  `${ACTIONS[action]}: ${amount} ${currency}, ${subject}.`;

const PARTS: Readonly<Record<string, string>> = {
  wallet: 'wallets',
  activity: 'activities',
  payout: 'payouts',
};

/** Where to find what an approval has done. */
function resultOf({ action, subject, resultId, terms }: Approval): Omit<Notice, 'text'> {
  if (action === 'activity.create' && resultId) return { to: ['activities', resultId] };
  if (action === 'dead-letter.void')
    return { to: ['dead-letters'], query: { status: 'void', user: terms.userId! } };
  const colon = subject.indexOf(':');
  return { to: [PARTS[subject.slice(0, colon)]!, subject.slice(colon + 1)] };
}

/** The requests of one user that another user decides. */
export function ApprovalsView({ api, person, address: { query } }: ViewProps) {
  const { status = 'pending' } = query;
  const list = usePages(
    (cursor, signal) =>
      api.get('/v1/approvals', {
        query: { limit: 50, cursor, status: (status || undefined) as Approval['status'] },
        signal,
      }),
    [api, status],
  );
  const approve = (approval: Approval) => async (key: string) => {
    const done = await api.post('/v1/approvals/{id}/approve', { path: { id: approval.id }, key });
    list.ask();
    return { text: `Approved. ${summaryOf(done)}`, ...resultOf(done) };
  };
  const reject = (approval: Approval) => async (key: string) => {
    const done = await api.post('/v1/approvals/{id}/reject', { path: { id: approval.id }, key });
    list.ask();
    return { text: `Rejected. ${summaryOf(done)}`, to: ['approvals'], query: { status: 'rejected' } };
  };
  const decisions: Column<Approval> = {
    name: 'decision',
    title: 'Decision',
    value: () => null,
    cell: (approval) =>
      approval.status === 'pending' && approval.askedBy !== person.sub ? (
        <span class="row">
          <Confirmed
            title="Approve"
            consequence={`${summaryOf(approval)} ${termsOf(approval)}. It is done at once, and counts as yours.`}
            onConfirm={approve(approval)}
          />
          <Confirmed
            title="Reject"
            isDangerous
            consequence={`What ${approval.askedBy} has asked for is not done.`}
            onConfirm={reject(approval)}
          />
        </span>
      ) : null,
  };
  return (
    <>
      <h1>Approvals</h1>
      <div class="row">
        <Choice
          label="Status"
          value={status}
          options={STATUSES}
          onValue={(value) => refine({ status: value })}
        />
        <button onClick={list.ask}>Look again</button>
      </div>
      <Table
        caption="Approvals"
        columns={may(person, 'manage-money') ? [...COLUMNS, decisions] : COLUMNS}
        list={list}
        keyOf={({ id }) => id}
        empty="There are none."
      />
    </>
  );
}
