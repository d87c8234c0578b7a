import type { Schema } from '../../../../../libs/client';
import { When } from '../../ui/facts';
import { words } from '../../words';

type Correction = Schema<'CorrectionDto'>;

const SHOWN_MAX = 12;

/** The latest corrections, newest first. */
export function Corrections({ corrections }: { readonly corrections: readonly Correction[] | null }) {
  return (
    <section aria-label={words.wall.corrections}>
      <h2>{words.wall.corrections}</h2>
      {corrections === null && <p>{words.wall.redisAway}</p>}
      {corrections?.length === 0 && <p>{words.wall.noCorrections}</p>}
      <ol class="corrections">
        {corrections?.slice(0, SHOWN_MAX).map(({ at, what, count }, i) => (
          <li key={`${at} ${what} ${i}`}>
            <When at={at} /> {words.wall.correction[what]}: {count}
          </li>
        ))}
      </ol>
    </section>
  );
}
