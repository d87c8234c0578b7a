import {
  EVEN_MAX,
  type Pace,
  PLANS_MAX,
  type Wave,
  type WaveFault,
  waveFaultAt,
  WAVES_MAX,
} from '../../../libs/pace';
import { type Fault, must } from '../../../libs/problem';
import { invalidField } from '../../platform/http';
import type { Activity, AnyPaceBody } from '../activity';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Released {
  readonly pace?: AnyPaceBody;
  readonly packetCount: number;
}

type Window = Pick<Activity, 'opensAt' | 'closesAt'>;

/** @throws Problem `request.invalid` naming the field if packets cannot be released in this way */
export const pacePlan = ({ pace, packetCount }: Released, window: Window): Pace | undefined =>
  pace && planOf(pace, packetCount, window, { fromMs: window.opensAt.getTime(), name: 'opensAt' });

/**
 * The plan of packets that are added: an even one begins now, or at the opening.
 * @throws Problem `request.invalid` naming the field, even if the activity has too many plans
 */
export function addedPacePlan(
  { pace, packetCount }: Released,
  { paced, readAt, ...window }: Window & Pick<Activity, 'paced' | 'readAt'>,
): Pace | undefined {
  if (!pace) return undefined;
  if (paced.length >= PLANS_MAX)
    throw invalidField('pace', must.beLeftOut(`must be left out: the activity has ${PLANS_MAX} plans`));
  const waves = paced.flatMap((batch) => (batch.pace.kind === 'waves' ? batch.pace.waves : []));
  const maximum = WAVES_MAX - waves.length;
  if (pace.kind === 'waves' && pace.waves.length > maximum) {
    const message = `must be at most ${maximum} more in this activity`;
    throw invalidField('pace.waves', must.haveSize('items', { maximum }, message));
  }
  const isOpen = readAt > window.opensAt;
  const start = isOpen
    ? { fromMs: readAt.getTime(), name: 'now' }
    : { fromMs: window.opensAt.getTime(), name: 'opensAt' };
  return planOf(pace, packetCount, window, start);
}

function planOf(
  pace: AnyPaceBody,
  packetCount: number,
  { opensAt, closesAt }: Window,
  { fromMs, name }: { readonly fromMs: number; readonly name: string },
): Pace {
  const closesAtMs = closesAt.getTime();
  if (pace.kind === 'waves')
    return { kind: 'waves', waves: wavesOf(pace.waves, packetCount, opensAt.getTime(), closesAtMs) };
  const untilMs = pace.until === undefined ? closesAtMs : Date.parse(pace.until);
  if (untilMs <= fromMs) throw invalidField('pace.until', must.beLaterThan(name));
  if (untilMs > closesAtMs) throw invalidField('pace.until', must.notBeLaterThan('closesAt'));
  if (packetCount * (untilMs - fromMs) > EVEN_MAX) {
    const days = Math.floor(EVEN_MAX / packetCount / DAY_MS);
    const message = `must be nearer to ${name} for this many packets`;
    throw invalidField('pace.until', must.beWithin(days, name, message));
  }
  return { kind: 'even', count: packetCount, fromMs, untilMs };
}

function wavesOf(
  bodies: readonly { readonly at: string; readonly count: number }[],
  packetCount: number,
  opensAtMs: number,
  closesAtMs: number,
): Wave[] {
  const waves = bodies.map(({ at, count }) => ({ atMs: Date.parse(at), count }));
  for (const i of waves.keys()) {
    const fault = waveFaultAt(waves, i, { opensAtMs, closesAtMs });
    if (fault) throw invalidField(`pace.waves[${i}].at`, WAVE_FAULTS[fault](i));
  }
  if (waves.reduce((sum, { count }) => sum + count, 0) !== packetCount)
    throw invalidField(
      'pace.waves',
      must.addUp('count', 'packetCount', 'must have counts that add up to packetCount'),
    );
  return waves;
}

const WAVE_FAULTS: Readonly<Record<WaveFault, (no: number) => Fault>> = {
  'before-opening': () => must.notBeEarlierThan('opensAt'),
  'not-before-close': () => must.beEarlierThan('closesAt'),
  'not-after-previous': (no) =>
    must.beLaterThan(`pace.waves[${no - 1}].at`, 'must be later than the wave before it'),
};
