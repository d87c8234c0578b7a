import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { Link } from '../../ui/address';
import type { Asked, AskedWith } from '../../ui/asking';
import { When } from '../../ui/facts';
import { sumText } from '../../ui/lead';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import { grouped } from '../../words/language';
import { WinLink } from '../wins/win-link';

const LIMIT = 50;

interface Moment {
  readonly at: string;
  readonly what: string;
  readonly facts: ComponentChildren;
}

/** The events of the money of one user, newest first. */
export interface UserStory {
  readonly moments: readonly Moment[];
  /** There is more, which the lists have. */
  readonly isCut: boolean;
}

export interface UserHistory {
  /** What there is in a currency, in the language that is current when it is drawn. */
  readonly story: (currency: string) => UserStory;
  /** The sum of the open dead letters in a currency; undefined if there are none, or too many to tell. */
  readonly waiting: (currency: string) => string | undefined;
}

export async function userStoryOf(
  api: ApiClient,
  { userId, currency }: { readonly userId: string; readonly currency?: string },
  options: AskedWith,
): Promise<UserHistory> {
  const query = { limit: LIMIT };
  const [entries, letters, payouts, deeds] = await Promise.all([
    api.listWalletEntries(userId, { ...query, currency }, options),
    api.listDeadLetters({ ...query, userId }, options),
    api.listPayouts({ ...query, userId }, options),
    api.listAuditLog({ ...query, subject: `wallet:${userId}` }, options),
  ]);
  const story = (code: string) => {
    const isIn = (one: { readonly currency: string }) => one.currency === code;
    return joined([
      { moments: entries.items.map(momentOfEntry(userId)), isCut: entries.nextCursor !== null },
      { moments: letters.items.filter(isIn).flatMap(momentsOfLetter), isCut: letters.nextCursor !== null },
      { moments: payouts.items.filter(isIn).map(momentOfPayout), isCut: payouts.nextCursor !== null },
      { moments: deeds.items.flatMap(momentsOfDeed), isCut: deeds.nextCursor !== null },
    ]);
  };
  const waiting = (code: string) => {
    const open = letters.items.filter((letter) => letter.status === 'open' && letter.currency === code);
    return open.length === 0 || letters.nextCursor !== null ? undefined : sumText(open);
  };
  return { story, waiting };
}

/** Joins stories, without anything older than the oldest known moment of a truncated story. */
function joined(stories: readonly UserStory[]): UserStory {
  const cut = stories.filter(({ isCut }) => isCut);
  const ends = cut.map(({ moments }) => moments.map(({ at }) => at).sort()[0] ?? '');
  const end = ends.sort().at(-1) ?? '';
  const moments = stories.flatMap((story) => story.moments).filter(({ at }) => at >= end);
  return { moments: moments.sort((a, b) => b.at.localeCompare(a.at)), isCut: cut.length > 0 };
}

const activityLink = (id: string | null): ComponentChildren =>
  id && (
    <>
      {' '}
      · {words.story.activity} <Link to={['activities', id]}>{id}</Link>
    </>
  );

const momentOfEntry =
  (userId: string) =>
  ({ at, kind, amount, currency, activityId, reference }: Schema<'EntryDto'>): Moment => ({
    at,
    what: words.wallets.kinds[kind],
    facts: (
      <>
        {kind === 'credit' && activityId ? (
          <WinLink win={{ activityId, userId }}>
            {grouped(amount)} {currency}
          </WinLink>
        ) : (
          `${grouped(amount)} ${currency}`
        )}
        {reference && ` · ${reference}`}
        {activityLink(activityId)}
      </>
    ),
  });

function momentsOfLetter(letter: Schema<'DeadLetterDto'>): Moment[] {
  const { id, createdAt, updatedAt, reason, status, resolution, amount, currency, activityId } = letter;
  const name = (
    <Link to={['dead-letters']} query={{ status, user: letter.userId }}>
      {words.story.deadLetter(id)}
    </Link>
  );
  const facts = (why: string) => (
    <>
      {name} · {grouped(amount)} {currency}
      {why && ` · ${why}`}
      {activityLink(activityId)}
    </>
  );
  const written = {
    at: createdAt,
    what: words.story.notPaid,
    facts: facts(words.deadLetters.reasons[reason]),
  };
  if (status === 'open') return [written];
  return [written, { at: updatedAt, what: words.story.letterEnds[status], facts: facts(resolution ?? '') }];
}

const momentOfPayout = ({ id, createdAt, state, amount, currency }: Schema<'PayoutDto'>): Moment => ({
  at: createdAt,
  what: words.story.payoutAsked,
  facts: (
    <>
      <Link to={['payouts', id]}>{words.story.payout(id)}</Link> · {grouped(amount)} {currency} ·{' '}
      {words.story.now(words.payouts.states[state])}
    </>
  ),
});

/** Deposits are among the entries. */
function momentsOfDeed({ at, action, actorId }: Schema<'AuditDto'>): Moment[] {
  if (action !== 'wallet.freeze' && action !== 'wallet.unfreeze') return [];
  const what = action === 'wallet.freeze' ? words.story.frozen : words.story.unfrozen;
  return [{ at, what, facts: words.story.by(actorId) }];
}

interface StoryProps {
  readonly story: Asked<UserHistory>;
  readonly currency: string;
}

/** Nothing at all while nothing has happened: the entries say so. */
export function Story({ story: { value, fault }, currency }: StoryProps) {
  const { moments, isCut } = value?.story(currency) ?? {};
  if (moments?.length === 0) return null;
  return (
    <section aria-label={words.story.title}>
      <h2>{words.story.title}</h2>
      <Complaint fault={fault} />
      {moments && moments.length > 0 && (
        <ol class="story">
          {moments.map(({ at, what, facts }, i) => (
            <li key={i}>
              <When at={at} />
              <strong>{what}</strong>
              <span>{facts}</span>
            </li>
          ))}
        </ol>
      )}
      {isCut && <p>{words.story.cut}</p>}
    </section>
  );
}
