import type { Schema } from '../../../../libs/client';
import { may } from '../session/staff';
import { Link } from '../ui/address';
import { usePages } from '../ui/asking';
import { amountColumn, momentColumn } from '../ui/columns';
import { Confirmed } from '../ui/confirmed';
import { When } from '../ui/facts';
import { ChoiceFilter } from '../ui/filters';
import type { Notice } from '../ui/notices';
import { type Column, Table } from '../ui/table';
import { words } from '../words';
import { momentText } from '../words/language';
import { RequestedTerms } from './activities/terms/terms';
import type { ViewProps } from './view-props';

type Approval = Schema<'ApprovalDto'>;

/** @param isPending all rows are pending, so no row says so */
const columns = (isPending: boolean): readonly Column<Approval>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'action',
    title: words.approvals.what,
    value: ({ action }) => action,
    cell: ({ action }) => words.approvals.actions[action],
  },
  {
    name: 'subject',
    title: words.common.of,
    value: ({ subject }) => subject,
    cell: ({ subject }) => <Subject subject={subject} />,
  },
  amountColumn(),
  { name: 'terms', title: words.approvals.terms, value: termsOf, isProse: true },
  {
    name: 'by',
    title: words.approvals.askedBy,
    value: ({ askedBy }) => askedBy,
    cell: ({ askedBy, askedAt }) => (
      <>
        {askedBy}
        <br />
        <small>
          <When at={askedAt} />
        </small>
      </>
    ),
  },
  momentColumn('until', words.approvals.until, 'expiresAt'),
  ...(isPending ? [] : [statusColumn()]),
];

const statusColumn = (): Column<Approval> => ({
  name: 'status',
  title: words.common.status,
  value: ({ status }) => status,
  cell: ({ status, decidedBy }) => {
    const text = words.approvals.statuses[status];
    return decidedBy ? words.approvals.decided(text, decidedBy) : text;
  },
});

/** The request and its reason, as far as the other columns do not say them. */
function termsOf({ action, terms }: Approval): string {
  const said = words.approvals;
  switch (action) {
    case 'wallet.deposit':
      return terms.reference ? said.reference(terms.reference) : said.noReference;
    case 'dead-letter.void':
      return said.claim(terms.claimId!, terms.userId!, terms.activityId!, terms.reason!);
    case 'activity.create':
      return said.activity(
        terms.name!,
        terms.packetCount!,
        momentText(terms.opensAt!),
        momentText(terms.closesAt!),
      );
    case 'activity.top-up':
      return said.packets(terms.packetCount!);
    case 'payout.reserve':
      return said.payTo(terms.userId!, terms.channelId!, Number(terms.claims ?? 0));
    case 'payout.resolve':
      return said.resolution(terms.userId!, terms.channelId!, outcomeText(terms.outcome!), terms.evidence!);
  }
}

const outcomeText = (outcome: string): string =>
  words.payouts.outcomes[outcome as keyof typeof words.payouts.outcomes];

const summaryOf = ({ action, amount, currency, subject }: Approval): string =>
  words.approvals.summary(words.approvals.actions[action], `${amount} ${currency}`, subject);

const PARTS: Readonly<Record<string, string>> = {
  wallet: 'wallets',
  activity: 'activities',
  payout: 'payouts',
};

/** The page of the subject of a request; undefined if it has none. */
function pageOf(subject: string): readonly string[] | undefined {
  const colon = subject.indexOf(':');
  const part = PARTS[subject.slice(0, colon)];
  return part === undefined ? undefined : [part, subject.slice(colon + 1)];
}

function Subject({ subject }: Pick<Approval, 'subject'>) {
  const page = pageOf(subject);
  return page ? <Link to={page}>{subject}</Link> : <>{subject}</>;
}

/** Where to find the effect of an approval. */
function resultOf({ action, subject, resultId, terms }: Approval): Omit<Notice, 'text'> {
  if (action === 'activity.create' && resultId) return { to: ['activities', resultId] };
  if (action === 'dead-letter.void')
    return { to: ['dead-letters'], query: { status: 'void', user: terms.userId! } };
  return { to: pageOf(subject)! };
}

/** The requests of one user that another user decides. */
export function ApprovalsView({ api, person, address: { query } }: ViewProps) {
  const { status = 'pending' } = query;
  const list = usePages(
    (cursor, options) =>
      api.listApprovals({ limit: 50, cursor, status: (status || undefined) as Approval['status'] }, options),
    [api, status],
  );
  const approve = (approval: Approval) => async (key: string) => {
    const done = await api.approveRequest(approval.id, { key });
    list.ask();
    return { text: words.approvals.approved(summaryOf(done)), ...resultOf(done) };
  };
  const reject = (approval: Approval) => async (key: string) => {
    const done = await api.rejectRequest(approval.id, {}, { key });
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
    cell: (approval) =>
      approval.status === 'pending' && approval.askedBy !== person.sub ? (
        <span class="row">
          <Confirmed
            title={words.approvals.approve}
            consequence={words.approvals.approveWill(summaryOf(approval), termsOf(approval))}
            onConfirm={approve(approval)}
          >
            {approval.action.startsWith('activity.') && <RequestedTerms api={api} terms={approval.terms} />}
          </Confirmed>
          <Confirmed
            title={words.approvals.reject}
            isDangerous
            consequence={words.approvals.rejectWill(approval.askedBy)}
            onConfirm={reject(approval)}
          />
        </span>
      ) : null,
  };
  const shown = columns(status === 'pending');
  return (
    <>
      <h1>{words.navigation.parts.approvals}</h1>
      <div class="row">
        <ChoiceFilter
          name="status"
          label={words.common.status}
          value={status}
          options={{ '': words.common.all, ...words.approvals.statuses }}
        />
        <button onClick={list.ask}>{words.common.lookAgain}</button>
      </div>
      <Table
        caption={words.navigation.parts.approvals}
        columns={may(person, 'manage-money') ? [...shown, decisions] : shown}
        list={list}
        keyOf={({ id }) => id}
        empty={words.common.thereAreNone}
      />
    </>
  );
}
