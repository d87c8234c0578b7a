import { Link } from '../ui/address';

/** The parts with a page for each of these. */
const PAGES: Readonly<Record<string, string>> = {
  activity: 'activities',
  'code-pool': 'code-pools',
  payout: 'payouts',
  series: 'series',
  user: 'wallets',
  wallet: 'wallets',
};

/** The pages that list these. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  approval: ['approvals'],
  currency: ['currencies'],
  'dead-letter': ['dead-letters'],
  'payout-channel': ['payouts', 'channels'],
  'payout-finding': ['payouts', 'findings'],
  'ticket-key': ['ticket-keys'],
  webhook: ['webhooks'],
};

/** The id in a subject such as `wallet:u1`, which may contain colons. */
export const idOf = (subject: string): string => subject.slice(subject.indexOf(':') + 1);

/** The page of a subject; undefined if it has none. */
export function pageOf(subject: string): readonly string[] | undefined {
  const noun = subject.slice(0, subject.indexOf(':'));
  const part = PAGES[noun];
  return part === undefined ? LISTS[noun] : [part, idOf(subject)];
}

/** The subject of a deed, with a link to its page. */
export function Subject({ subject }: { readonly subject: string }) {
  const page = pageOf(subject);
  return page ? <Link to={page}>{subject}</Link> : <>{subject}</>;
}
