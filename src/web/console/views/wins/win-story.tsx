import type { ComponentChildren } from 'preact';
import { Link } from '../../ui/address';
import { When } from '../../ui/facts';
import { words } from '../../words';
import { grouped } from '../../words/language';
import type { Win } from './read-win';

interface Moment {
  readonly at: string;
  readonly what: string;
  readonly facts?: ComponentChildren;
}

/** The history of a win, oldest first. */
export function WinStory({ win }: { readonly win: Win }) {
  return (
    <section aria-label={words.story.title}>
      <h2>{words.story.title}</h2>
      <ol class="story">
        {momentsOf(win).map(({ at, what, facts }, i) => (
          <li key={i}>
            <When at={at} />
            <strong>{what}</strong>
            <span>{facts}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function momentsOf(win: Win): readonly Moment[] {
  const { grab, credit, deeds, payouts } = win;
  const money = `${grouped(grab.amount)} ${grab.currency}`;
  const moments: Moment[] = [
    { at: grab.confirmedAt, what: words.wins.confirmed, facts: money },
    ...letterMoments(win),
    ...deeds.map(({ at, action, actorId }) => ({
      at,
      what: words.audit.actions[action] ?? action,
      facts: words.story.by(actorId),
    })),
    ...payouts.map(({ id, createdAt, state, amount, currency }) => ({
      at: createdAt,
      what: words.story.payoutAsked,
      facts: (
        <>
          <Link to={['payouts', id]}>{words.story.payout(id)}</Link> · {grouped(amount)} {currency} ·{' '}
          {words.story.now(words.payouts.states[state])}
        </>
      ),
    })),
  ];
  if (grab.creditedAt !== null) {
    const facts = credit ? words.wins.byTransfer(money, credit.transferId) : money;
    moments.push({ at: grab.creditedAt, what: words.wins.credited, facts });
  }
  return moments.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function letterMoments({ letter }: Win): Moment[] {
  if (!letter) return [];
  const { createdAt, updatedAt, status, reason, resolution } = letter;
  const written = { at: createdAt, what: words.story.notPaid, facts: words.deadLetters.reasons[reason] };
  if (status === 'open') return [written];
  return [written, { at: updatedAt, what: words.story.letterEnds[status], facts: resolution }];
}
