import type { ComponentProps } from 'preact';
import type { Schema } from '../../../../../libs/client';
import type { Link } from '../../ui/address';
import { amountColumn } from '../../ui/columns';
import type { Column } from '../../ui/table';
import { words } from '../../words';
import { grouped, minuteText } from '../../words/language';
import { pageOf, Subject } from '../subject';

export type Approval = Schema<'ApprovalDto'>;

/** The columns that describe a request. */
export const requestColumns = (): readonly Column<Approval>[] => [
  { name: 'id', title: words.common.id, value: ({ id }) => Number(id), isNumber: true },
  {
    name: 'action',
    title: words.approvals.what,
    value: ({ action }) => action,
    cell: ({ action, subject }) => (
      <>
        {words.approvals.actions[action]}
        <br />
        <small>
          <Subject subject={subject} />
        </small>
      </>
    ),
    isProse: true,
  },
  { name: 'subject', title: words.common.of, value: ({ subject }) => subject, isInFilesOnly: true },
  amountColumn(),
  { name: 'terms', title: words.approvals.terms, value: termsOf, isProse: true },
];

/** The outcome of a request, by whom and why. */
export const outcomeColumn = (title: string): Column<Approval> => ({
  name: 'status',
  title,
  value: ({ status }) => status,
  cell: outcomeOf,
  isProse: true,
});

function outcomeOf({ status, decidedBy, reason }: Approval): string {
  const text = words.approvals.statuses[status];
  const decision = decidedBy ? words.approvals.decided(text, decidedBy) : text;
  return reason === undefined ? decision : words.requests.because(decision, reason);
}

/** The request and its reason, as far as the other columns do not say them. */
export function termsOf({ action, terms }: Approval): string {
  const said = words.approvals;
  switch (action) {
    case 'wallet.deposit':
      return terms.reference ? said.reference(terms.reference) : said.noReference;
    case 'wallet.reverse-deposit':
      return said.reversal(terms.depositId!, terms.reason!);
    case 'dead-letter.void':
      return said.claim(terms.claimId!, terms.userId!, terms.activityId!, terms.reason!);
    case 'activity.create':
      return said.activity(
        terms.name!,
        grouped(terms.packetCount!),
        minuteText(terms.opensAt!),
        minuteText(terms.closesAt!),
      );
    case 'activity.top-up':
      return said.packets(grouped(terms.packetCount!));
    case 'payout.reserve':
      return said.payTo(terms.userId!, terms.channelId!, Number(terms.claims ?? 0));
    case 'payout.resolve':
      return said.resolution(terms.userId!, terms.channelId!, outcomeText(terms.outcome!), terms.evidence!);
    case 'user.erase':
      return said.erasure;
  }
}

const outcomeText = (outcome: string): string =>
  words.payouts.outcomes[outcome as keyof typeof words.payouts.outcomes];

export const summaryOf = ({ action, amount, currency, subject }: Approval): string =>
  action === 'user.erase'
    ? words.approvals.summaryWithoutAmount(words.approvals.actions[action], subject)
    : words.approvals.summary(words.approvals.actions[action], `${amount} ${currency}`, subject);

type Place = Pick<ComponentProps<typeof Link>, 'query'> & { readonly to: readonly string[] };

/** Where to find the effect of an approval. */
export function resultOf({ action, subject, resultId, terms }: Approval): Place {
  if (action === 'activity.create' && resultId) return { to: ['activities', resultId] };
  if (action === 'dead-letter.void')
    return { to: ['dead-letters'], query: { status: 'void', user: terms.userId! } };
  if (action === 'user.erase') return { to: ['erasures'] };
  return { to: pageOf(subject)! };
}
