import { EVEN_MAX, type Pace, PLANS_MAX, type Wave, WAVES_MAX } from '../../../libs/pace';
import { invalidField } from '../../platform/http';
import type { Activity, AnyPaceBody } from '../activity';

interface Released {
  readonly pace?: AnyPaceBody;
  readonly packetCount: number;
}

type Window = Pick<Activity, 'opensAt' | 'closesAt'>;

/** @throws Problem `request.invalid` naming the field if packets cannot be released like that */
export const pacePlan = ({ pace, packetCount }: Released, window: Window): Pace | undefined =>
  pace && planOf(pace, packetCount, window, { fromMs: window.opensAt.getTime(), name: 'opensAt' });

/**
 * The plan of packets that are added: an even one begins now, or at the opening.
 * @throws Problem `request.invalid` naming the field, also where the activity has too many plans
 */
export function addedPacePlan(
  { pace, packetCount }: Released,
  { paced, readAt, ...window }: Window & Pick<Activity, 'paced' | 'readAt'>,
): Pace | undefined {
  if (!pace) return undefined;
  if (paced.length >= PLANS_MAX)
    throw invalidField('pace', `must be left out: the activity has ${PLANS_MAX} plans`);
  const waves = paced.flatMap((batch) => (batch.pace.kind === 'waves' ? batch.pace.waves : []));
  if (pace.kind === 'waves' && waves.length + pace.waves.length > WAVES_MAX)
    throw invalidField('pace.waves', `must be at most ${WAVES_MAX - waves.length} more in this activity`);
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
  if (untilMs <= fromMs) throw invalidField('pace.until', `must be later than ${name}`);
  if (untilMs > closesAtMs) throw invalidField('pace.until', 'must not be later than closesAt');
  if (packetCount * (untilMs - fromMs) > EVEN_MAX)
    throw invalidField('pace.until', `must be nearer to ${name} for so many packets`);
  return { kind: 'even', count: packetCount, fromMs, untilMs };
}

function wavesOf(
  bodies: readonly { readonly at: string; readonly count: number }[],
  packetCount: number,
  opensAtMs: number,
  closesAtMs: number,
): Wave[] {
  const waves = bodies.map(({ at, count }) => ({ atMs: Date.parse(at), count }));
  for (const [i, { atMs }] of waves.entries()) {
    const field = `pace.waves[${i}].at`;
    if (atMs < opensAtMs) throw invalidField(field, 'must not be earlier than opensAt');
    if (atMs >= closesAtMs) throw invalidField(field, 'must be earlier than closesAt');
    if (i > 0 && atMs <= waves[i - 1]!.atMs)
      throw invalidField(field, 'must be later than the wave before it');
  }
  if (waves.reduce((sum, { count }) => sum + count, 0) !== packetCount)
    throw invalidField('pace.waves', 'must have counts that add up to packetCount');
  return waves;
}
