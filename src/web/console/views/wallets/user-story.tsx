import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { Link } from '../../ui/address';
import type { Asked, AskedWith } from '../../ui/asking';
import { When } from '../../ui/facts';
import { sumText } from '../../ui/lead';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import { grouped } from '../../words/language';

const LIMIT = 50;

interface Moment {
  readonly at: string;
  readonly what: string;
  readonly money?: Money;
  readonly facts: ComponentChildren;
}

interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** What has happened to the money of one user beside the entries of their wallet, newest first. */
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

export async function userStoryOf(api: ApiClient, userId: string, options: AskedWith): Promise<UserHistory> {
  const query = { limit: LIMIT };
  const [letters, payouts, deeds] = await Promise.all([
    api.listDeadLetters({ ...query, userId }, options),
    api.listPayouts({ ...query, userId }, options),
    api.listAuditLog({ ...query, subject: `wallet:${userId}` }, options),
  ]);
  const story = (code: string) => {
    const isIn = (one: Money) => one.currency === code;
    return joined([
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

function momentsOfLetter(letter: Schema<'DeadLetterDto'>): Moment[] {
  const { id, createdAt, updatedAt, reason, status, resolution, activityId } = letter;
  const name = (
    <Link to={['dead-letters']} query={{ status, user: letter.userId }}>
      {words.story.deadLetter(id)}
    </Link>
  );
  const facts = (why: string) => (
    <>
      {name}
      {why && ` · ${why}`}
      {activityLink(activityId)}
    </>
  );
  const written = {
    at: createdAt,
    what: words.story.notPaid,
    money: letter,
    facts: facts(words.deadLetters.reasons[reason]),
  };
  if (status === 'open') return [written];
  const what = words.story.letterEnds[status];
  return [written, { at: updatedAt, what, money: letter, facts: facts(resolution ?? '') }];
}

const momentOfPayout = (payout: Schema<'PayoutDto'>): Moment => ({
  at: payout.createdAt,
  what: words.story.payoutAsked,
  money: payout,
  facts: (
    <>
      <Link to={['payouts', payout.id]}>{words.story.payout(payout.id)}</Link> ·{' '}
      {words.story.now(words.payouts.states[payout.state])}
    </>
  ),
});

/** What was booked is among the entries. */
function momentsOfDeed({ at, action, actorId }: Schema<'AuditDto'>): Moment[] {
  if (action !== 'wallet.freeze' && action !== 'wallet.unfreeze') return [];
  const what = action === 'wallet.freeze' ? words.story.frozen : words.story.unfrozen;
  return [{ at, what, facts: words.story.by(actorId) }];
}

interface StoryProps {
  readonly story: Asked<UserHistory>;
  readonly currency: string;
}

/** Nothing at all while nothing has happened beside the entries. */
export function Story({ story: { value, fault }, currency }: StoryProps) {
  const { moments, isCut } = value?.story(currency) ?? {};
  if (moments?.length === 0) return null;
  return (
    <section aria-label={words.story.title}>
      <h2>{words.story.title}</h2>
      <Complaint fault={fault} />
      {moments && moments.length > 0 && (
        <ol class="story of-money">
          {moments.map(({ at, what, money, facts }, i) => (
            <li key={i}>
              <When at={at} />
              <strong>{what}</strong>
              {money && (
                <b class="number">
                  {grouped(money.amount)} {money.currency}
                </b>
              )}
              <span>{facts}</span>
            </li>
          ))}
        </ol>
      )}
      {isCut && <p>{words.story.cut}</p>}
    </section>
  );
}
