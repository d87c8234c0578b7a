import type { Schema } from '../../../../../libs/client';
import { When } from '../../ui/facts';
import { words } from '../../words';
import { factsText, kindText } from './texts';

type Payout = Schema<'PayoutStoryDto'>;
type Finding = Payout['findings'][number];

interface Moment {
  readonly at: string;
  readonly what: string;
  readonly facts: string;
  readonly isFinding?: boolean;
}

/** Every attempt, answer and finding, in the order in which they came. */
export function PayoutStory({ payout }: { readonly payout: Payout }) {
  return (
    <section aria-label={words.story.title}>
      <h2>{words.story.title}</h2>
      <ol class="story">
        {momentsOf(payout).map(({ at, what, facts, isFinding }, i) => (
          <li key={i} class={isFinding ? 'finding' : undefined}>
            <When at={at} />
            <strong>{what}</strong>
            <span>{facts}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function momentsOf({ steps, findings, currency }: Payout): readonly Moment[] {
  const told = steps.map(({ at, state, detail }) => ({
    at,
    what:
      'reported' in detail ? words.payouts.still(words.payouts.states[state]) : words.payouts.states[state],
    facts: factsText(detail, currency),
  }));
  return [...told, ...findings.flatMap((finding) => momentsOfFinding(finding, currency))].sort(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  );
}

function momentsOfFinding(finding: Finding, currency: string): Moment[] {
  const { id, kind, detail, foundAt, endedAt, endedBy, resolution } = finding;
  const found = {
    at: foundAt,
    what: words.payouts.finding(id),
    facts: [kindText(kind), factsText(detail, currency)].filter(Boolean).join(' · '),
  };
  if (endedAt === null) return [{ ...found, isFinding: true }];
  return [
    found,
    { at: endedAt, what: words.payouts.findingEnded(id), facts: words.payouts.by(endedBy, resolution) },
  ].map((moment) => ({ ...moment, isFinding: true }));
}
