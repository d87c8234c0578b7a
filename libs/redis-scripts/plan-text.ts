import type { Pace } from '../pace';

const INSTANT_DIGITS = 13;
const COUNT_DIGITS = 7;

/**
 * The plan of one part of an activity, as `lua-functions/unreleased.lua` reads it. Packet `no` is in
 * part `no % parts`, and packets are released in the order of their numbers as far as only their
 * number counts: so the parts together release exactly what the plan says, each by itself.
 */
export function planText(pace: Pace, part: number, parts: number): string {
  const shift = part === 0 ? 0 : parts - part;
  if (pace.kind === 'even') return ['even', pace.count, pace.fromMs, pace.untilMs, shift, parts].join(' ');
  let [released, share] = [0, 0];
  const waves: string[] = [];
  for (const { atMs, count } of pace.waves) {
    released += count;
    const next = Math.floor((released + shift) / parts);
    if (next > share) waves.push(`${digits(atMs, INSTANT_DIGITS)}:${digits(next, COUNT_DIGITS)}`);
    share = next;
  }
  return ['waves', ...waves].join(' ');
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0');
