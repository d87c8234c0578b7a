import { releasedBy } from '../../../../../../libs/pace';
import { words } from '../../../words';
import { momentText } from '../../../words/language';
import { type Pace, planOf } from './pace-draft';

/** Enough for a slope to look like one. */
const SAMPLES = 96;
const WIDTH = 600;
const HEIGHT = 160;
/** Moments that are read out. */
const READ_MAX = 12;

interface ReleaseCurveProps {
  readonly pace: Pace;
  readonly packetCount: number;
  readonly opensAt: string;
  readonly closesAt: string;
}

/** How many packets are released by when, from the opening to the close, as Redis counts them. */
export function ReleaseCurve({ pace, packetCount, opensAt, closesAt }: ReleaseCurveProps) {
  const [fromMs, toMs] = [Date.parse(opensAt), Date.parse(closesAt)];
  if (!(fromMs < toMs) || !(packetCount > 0)) return null;
  const plan = planOf(pace, { packetCount, opensAt, closesAt });
  const momentsMs = plan.kind === 'waves' ? wavesWithin(plan.waves, fromMs, toMs) : sampled(fromMs, toMs);
  const steps = momentsMs.map((ms) => ({ ms, count: releasedBy(plan, ms) }));
  const x = (ms: number): string => ((WIDTH * (ms - fromMs)) / (toMs - fromMs)).toFixed(1);
  // More packets in waves than there are do not leave the picture.
  const y = (count: number): string =>
    (HEIGHT - (HEIGHT * Math.min(count, packetCount)) / packetCount).toFixed(1);
  const line = steps.map(({ ms, count }) => `H${x(ms)}V${y(count)}`).join('');
  const read = thinned(steps).map(({ ms, count }) => `${momentText(ms)}: ${count}`);
  return (
    <section aria-label={words.pace.region} class="preview">
      <h2>{words.pace.release}</h2>
      <figure class="release">
        <figcaption>
          <span>{words.pace.ofPackets(packetCount)}</span>
        </figcaption>
        <svg
          role="img"
          aria-label={words.pace.curve(read.join(', '))}
          viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
          preserveAspectRatio="none"
        >
          <path class="area" d={`M0 ${HEIGHT}${line}H${WIDTH}V${HEIGHT}Z`} />
          <path class="line" d={`M0 ${HEIGHT}${line}H${WIDTH}`} />
        </svg>
        <figcaption>
          <span>{momentText(fromMs)}</span>
          <span>{momentText(toMs)}</span>
        </figcaption>
      </figure>
    </section>
  );
}

const wavesWithin = (waves: readonly { readonly atMs: number }[], fromMs: number, toMs: number): number[] =>
  waves.map(({ atMs }) => atMs).filter((ms) => ms >= fromMs && ms < toMs);

const sampled = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: SAMPLES + 1 }, (_, i) => fromMs + (i * (toMs - fromMs)) / SAMPLES);

function thinned<T>(steps: readonly T[]): T[] {
  const apart = Math.ceil(steps.length / READ_MAX);
  return steps.filter((_, i) => i % apart === 0);
}
