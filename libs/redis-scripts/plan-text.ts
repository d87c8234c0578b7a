import type { Pace } from '../pace';

const INSTANT_DIGITS = 13;
const COUNT_DIGITS = 7;

/** Packets of an activity that a plan releases: those of its creation, or of a top-up. */
export interface PacedBatch {
  readonly pace: Pace;
  /** The number of its first packet. */
  readonly firstNo: number;
  /** The parts over which it is dealt: those of the activity, or 1 if all of it is in part 0. */
  readonly parts: number;
}

/** The plans of one part of an activity, as `lua-functions/unreleased.lua` reads them. */
export const planText = (batches: readonly PacedBatch[], part: number): string =>
  batches
    .filter(({ parts }) => part < parts)
    .map((batch) => textOf(batch, part))
    .join(';');

/**
 * Packet `no` is in part `no % parts`, and packets are released in the order of their numbers where only
 * their number counts. So each part on its own releases its share, and together they release exactly what the
 * plan says.
 */
function textOf({ pace, firstNo, parts }: PacedBatch, part: number): string {
  const shift = (firstNo - 1 + parts - part) % parts;
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
