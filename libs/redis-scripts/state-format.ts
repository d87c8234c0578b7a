import type { PacedBatch } from './plan-text';

/** The highest format that this program knows: `format_max` in scripts. */
export const STATE_FORMAT_MAX = 4;

/**
 * Returns the format of an activity's state. Programs leave a higher one than they know to those
 * that wrote it, so whatever an older program must not overlook raises the format:
 *
 * - 2: a part of an activity that is dealt over several
 * - 3: a plan by which packets are released; all would be handed out at once
 * - 4: plans of packets that were added; others read one plan, which is that of the creation
 */
export function stateFormat(parts: number, paced: readonly PacedBatch[]): number {
  if (paced.some(({ firstNo }) => firstNo > 1)) return 4;
  if (paced.length > 0) return 3;
  return parts > 1 ? 2 : 1;
}
