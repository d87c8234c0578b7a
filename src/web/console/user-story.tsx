import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../libs/client';
import { Link } from './address';
import type { Asked } from './asking';
import { LETTER_REASONS, WALLET_KINDS } from './money-words';
import { Complaint, When } from './parts';
import { STATES } from './payouts/words';

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

export async function userStoryOf(api: ApiClient, userId: string, signal: AbortSignal): Promise<UserStory> {
  const query = { limit: LIMIT };
  const path = { ownerId: userId };
  const [entries, letters, payouts, deeds] = await Promise.all([
    api.get('/v1/wallets/{ownerId}/entries', { path, query, signal }),
    api.get('/v1/dead-letters', { query: { ...query, userId }, signal }),
    api.get('/v1/payouts', { query: { ...query, userId }, signal }),
    api.get('/v1/audit-log', { query: { ...query, subject: `wallet:${userId}` }, signal }),
  ]);
  return joined([
    { moments: entries.items.map(momentOfEntry), isCut: entries.nextCursor !== null },
    { moments: letters.items.flatMap(momentsOfLetter), isCut: letters.nextCursor !== null },
    { moments: payouts.items.map(momentOfPayout), isCut: payouts.nextCursor !== null },
    { moments: deeds.items.flatMap(momentsOfDeed), isCut: deeds.nextCursor !== null },
  ]);
}

/** Joins stories, and leaves out what is older than the oldest known moment of one that is cut. */
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
      · activity <Link to={['activities', id]}>{id}</Link>
    </>
  );

const momentOfEntry = ({
  at,
  kind,
  amount,
  currency,
  activityId,
  reference,
}: Schema<'EntryDto'>): Moment => ({
  at,
  what: WALLET_KINDS[kind],
  facts: (
    <>
      {amount} {currency}
      {reference && ` · ${reference}`}
      {activityLink(activityId)}
    </>
  ),
});

function momentsOfLetter(letter: Schema<'DeadLetterDto'>): Moment[] {
  const { id, createdAt, updatedAt, reason, status, resolution, amount, currency, activityId } = letter;
  const name = (
    <Link to={['dead-letters']} query={{ status, user: letter.userId }}>
      dead letter {id}
    </Link>
  );
  const facts = (why: string) => (
    <>
      {name} · {amount} {currency}
      {why && ` · ${why}`}
      {activityLink(activityId)}
    </>
  );
  const written = { at: createdAt, what: 'Could not be paid', facts: facts(LETTER_REASONS[reason]) };
  if (status === 'open') return [written];
  return [written, { at: updatedAt, what: LETTER_ENDS[status], facts: facts(resolution ?? '') }];
}

const LETTER_ENDS = { replayed: 'Replayed', resolved: 'Resolved', void: 'Declared void' };

const momentOfPayout = ({ id, createdAt, state, amount, currency }: Schema<'PayoutDto'>): Moment => ({
  at: createdAt,
  what: 'Payout asked for',
  facts: (
    <>
      <Link to={['payouts', id]}>payout {id}</Link> · {amount} {currency} · now: {STATES[state]}
    </>
  ),
});

/** Deposits are among the entries. */
function momentsOfDeed({ at, action, actorId }: Schema<'AuditDto'>): Moment[] {
  if (action !== 'wallet.freeze' && action !== 'wallet.unfreeze') return [];
  return [{ at, what: action === 'wallet.freeze' ? 'Frozen' : 'Unfrozen', facts: `by ${actorId}` }];
}

export function Story({ story: { value, fault } }: { readonly story: Asked<UserStory> }) {
  return (
    <section aria-label="Story">
      <h2>Story</h2>
      <Complaint fault={fault} />
      {value?.moments.length === 0 && <p>Nothing has happened yet.</p>}
      {value && value.moments.length > 0 && (
        <ol class="story">
          {value.moments.map(({ at, what, facts }, i) => (
            <li key={i}>
              <When at={at} />
              <strong>{what}</strong>
              <span>{facts}</span>
            </li>
          ))}
        </ol>
      )}
      {value?.isCut && <p>What happened before is in the lists.</p>}
    </section>
  );
}
