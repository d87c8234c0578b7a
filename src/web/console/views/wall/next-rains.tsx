import type { Schema } from '../../../../../libs/client';
import type { Asked } from '../../ui/asking';
import { Link } from '../../ui/address';
import { useNow } from '../../ui/now';
import { words } from '../../words';
import { grouped } from '../../words/language';

const TICK_MS = 250;
/** The number that fits on a screen. */
const SHOWN_MAX = 5;

/** The next openings, with the time that is left by the clock of the system. */
export function NextRains({ rains }: { readonly rains: Asked<Schema<'RainsNowDto'>> }) {
  const nowMs = useNow(TICK_MS);
  const { value, valueAtMs } = rains;
  if (!value || valueAtMs === undefined || value.next.length === 0) return null;
  const atMs = Date.parse(value.at) + nowMs - valueAtMs;
  return (
    <section aria-label={words.wall.next}>
      <h2>{words.wall.next}</h2>
      <ol class="next">
        {value.next.slice(0, SHOWN_MAX).map(({ id, name, opensAt, totalAmount, currency }) => (
          <li key={id}>
            <strong>{words.wall.opensIn(countdown(Date.parse(opensAt) - atMs))}</strong>{' '}
            <Link to={['activities', id]}>{name}</Link> {grouped(totalAmount)} {currency}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Formats a time as `h:mm:ss`; what is over is zero. */
function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  return [Math.floor(seconds / 3_600), ...parts].join(':');
}
