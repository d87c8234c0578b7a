import type { Pace } from '../pace';

/** The highest format that this program knows: `format_max` in scripts. */
export const STATE_FORMAT_MAX = 3;

/**
 * Returns the format of an activity's state. Programs leave a higher one than they know to those
 * that wrote it, so whatever an older program must not overlook raises the format:
 *
 * - 2: a part of an activity that is dealt over several
 * - 3: a plan by which packets are released; all would be handed out at once
 */
export const stateFormat = (parts: number, pace?: Pace): number => (pace ? 3 : parts > 1 ? 2 : 1);
