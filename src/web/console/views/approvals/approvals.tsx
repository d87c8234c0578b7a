import { may } from '../../session/staff';
import { usePages } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { When } from '../../ui/facts';
import { ChoiceFilter, Filters } from '../../ui/filters';
import { type Column, Table } from '../../ui/table';
import { Tabs } from '../../ui/tabs';
import { words } from '../../words';
import { RequestedTerms } from '../activities/terms/terms';
import { idOf } from '../subject';
import type { ViewProps } from '../view-props';
import { type Approval, outcomeColumn, requestColumns, resultOf, summaryOf, termsOf } from './approval-texts';
import { MyRequests } from './my-requests';

/** Those who may read the requests of others also decide them, or watch. Everyone else sees their own. */
export function ApprovalsView(props: ViewProps) {
  const { person, address } = props;
  const isMine = address.steps[1] === 'mine' || !may(person, 'inspect');
  return (
    <>
      <h1>{words.navigation.parts.approvals}</h1>
      {may(person, 'inspect') && (
        <Tabs
          label={words.navigation.parts.approvals}
          of={['approvals']}
          tabs={words.requests.tabs}
          current={isMine ? 'mine' : ''}
        />
      )}
      {isMine ? <MyRequests {...props} /> : <Requests {...props} />}
    </>
  );
}

const columns = (isPending: boolean): readonly Column<Approval>[] => [
  ...requestColumns(),
  {
    name: 'by',
    title: words.approvals.askedBy,
    value: ({ askedBy }) => askedBy,
    cell: ({ askedBy, askedAt }) => (
      <>
        {askedBy}
        <br />
        <small>
          <When at={askedAt} toMinute />
        </small>
      </>
    ),
  },
  {
    name: 'until',
    title: words.approvals.until,
    value: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) => <When at={expiresAt} toMinute />,
  },
  // All rows are pending, so no row says so.
  ...(isPending ? [] : [outcomeColumn(words.common.status)]),
];

/** The requests of one user that another user decides. */
function Requests({ api, person, address: { query } }: ViewProps) {
  const { status = 'pending' } = query;
  const list = usePages(
    (cursor, options) =>
      api.listApprovals({ limit: 50, cursor, status: status as Approval['status'] }, options),
    [api, status],
  );
  const approve = (approval: Approval) => async (key: string) => {
    const done = await api.approveRequest(approval.id, { key });
    list.ask();
    return { text: words.approvals.approved(summaryOf(done)), ...resultOf(done) };
  };
  const reject = (approval: Approval) => async (key: string, reason: string) => {
    const done = await api.rejectRequest(approval.id, { reason }, { key });
    list.ask();
    return {
      text: words.approvals.rejected(summaryOf(done)),
      to: ['approvals'],
      query: { status: 'rejected' },
    };
  };
  const decisions: Column<Approval> = {
    name: 'decision',
    title: words.approvals.decision,
    value: () => null,
    isShownOnly: true,
    cell: (approval) =>
      approval.status === 'pending' && approval.askedBy !== person.sub ? (
        <span class="row">
          <Confirmed
            isMain
            title={words.approvals.approve}
            typed={idOf(approval.subject)}
            consequence={words.approvals.approveWill(summaryOf(approval), termsOf(approval))}
            onConfirm={approve(approval)}
          >
            {approval.action.startsWith('activity.') && <RequestedTerms api={api} terms={approval.terms} />}
          </Confirmed>
          <Confirmed
            title={words.approvals.reject}
            typed={idOf(approval.subject)}
            reason={words.approvals.rejectReason}
            consequence={words.approvals.rejectWill(approval.askedBy, summaryOf(approval))}
            onConfirm={reject(approval)}
          />
        </span>
      ) : null,
  };
  const shown = columns(status === 'pending');
  return (
    <>
      <Filters>
        <ChoiceFilter
          name="status"
          label={words.common.status}
          value={status}
          options={words.approvals.statuses}
        />
      </Filters>
      <div class="decisions">
        <Table
          caption={words.navigation.parts.approvals}
          columns={may(person, 'manage-money') ? [...shown, decisions] : shown}
          list={list}
          keyOf={({ id }) => id}
          empty={status === 'pending' ? words.approvals.nothing : words.common.thereAreNone}
        />
      </div>
    </>
  );
}
