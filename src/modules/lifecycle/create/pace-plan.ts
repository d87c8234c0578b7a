import { EVEN_MAX, type Pace } from '../../../../libs/pace';
import { invalidField } from '../../../platform/http';
import type { CreateActivityBody } from './create.dto';

interface Window {
  readonly opensAt: Date;
  readonly closesAt: Date;
}

/** @throws Problem `request.invalid` naming the field if packets cannot be released like that */
export function pacePlan({ pace, packetCount }: CreateActivityBody, window: Window): Pace | undefined {
  const [opensAtMs, closesAtMs] = [window.opensAt.getTime(), window.closesAt.getTime()];
  if (!pace) return undefined;
  if (pace.kind === 'waves') return wavesPlan(pace.waves, packetCount, opensAtMs, closesAtMs);
  const untilMs = pace.until === undefined ? closesAtMs : Date.parse(pace.until);
  if (untilMs <= opensAtMs) throw invalidField('pace.until', 'must be later than opensAt');
  if (untilMs > closesAtMs) throw invalidField('pace.until', 'must not be later than closesAt');
  if (packetCount * (untilMs - opensAtMs) > EVEN_MAX)
    throw invalidField('pace.until', 'must be nearer to opensAt for so many packets');
  return { kind: 'even', count: packetCount, fromMs: opensAtMs, untilMs };
}

function wavesPlan(
  bodies: readonly { readonly at: string; readonly count: number }[],
  packetCount: number,
  opensAtMs: number,
  closesAtMs: number,
): Pace {
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
  return { kind: 'waves', waves };
}
