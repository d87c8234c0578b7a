import type { Schema } from '../../../../libs/client';
import { When } from '../parts';

type Correction = Schema<'CorrectionDto'>;

const SHOWN_MAX = 12;

/** A fault, and the correction of it. The number of corrections follows each sentence. */
const SENTENCES: Readonly<Record<Correction['what'], string>> = {
  'reservations-swept': 'Taps that were cut off before they were decided, and that the sweep has decided',
  'redis-corrected':
    'Packets that Redis gave away because it had forgotten something, and that Postgres did not confirm',
  'claims-offered-again':
    'Wins that waited too long for their money, and that the sweep has sent on their way again',
  'claims-paid-without-queue': 'Wins that were paid without the queue, because it did not work',
  'rains-loaded': 'Rains that Redis did not have, and that were loaded from Postgres',
  'rains-extended': 'Rains to which packets were added, which Redis has now as well',
  'rains-rebuilt': 'Rains that did not add up in Redis, and that were built anew from Postgres',
  'rains-closed': 'Rains that were half closed, and whose close was finished',
};

/** The latest corrections, newest first. */
export function Corrections({ corrections }: { readonly corrections: readonly Correction[] | null }) {
  return (
    <section aria-label="What was set right">
      <h2>What was set right</h2>
      {corrections === null && <p>Redis is away; it is told when it is back.</p>}
      {corrections?.length === 0 && <p>Nothing had to be.</p>}
      <ol class="corrections">
        {corrections?.slice(0, SHOWN_MAX).map(({ at, what, count }, i) => (
          <li key={`${at} ${what} ${i}`}>
            <When at={at} /> {SENTENCES[what]}: {count}
          </li>
        ))}
      </ol>
    </section>
  );
}
