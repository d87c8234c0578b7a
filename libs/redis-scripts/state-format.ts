import type { PacedBatch } from './plan-text';

/** The highest format that this program knows: `format_max` in scripts. */
export const STATE_FORMAT_MAX = 7;

/**
 * The first format of activities whose gate and journal entries have a mark as well, `v<format>`:
 * `format_marked` in scripts. A program that trusted the gate would draw without reading the state, and one
 * that read the entry would confirm what it cannot judge.
 */
export const MARKED_FORMAT = 5;

interface Formatted {
  readonly parts?: number;
  readonly paced?: readonly PacedBatch[];
  /** The lowest format whose programs know all terms that restrict who wins. */
  readonly format?: number;
}

/**
 * Returns the format of an activity's state. Programs leave a format that they do not know to the programs
 * that wrote it, so anything that an older program must not overlook raises the format:
 *
 * - 2: a part of an activity that is dealt over several
 * - 3: a plan by which packets are released; all would be handed out at once
 * - 4: plans of packets that were added; older programs read only the plan of the creation
 * - 5 and later: terms that restrict who wins, and currencies, as `RESTRICTIONS` of the activity lists them
 */
export function stateFormat({ parts = 1, paced = [], format = 1 }: Formatted): number {
  return Math.max(format, parts > 1 ? 2 : 1, paced.length > 0 ? 3 : 1, paced.some(isAdded) ? 4 : 1);
}

const isAdded = ({ firstNo }: PacedBatch): boolean => firstNo > 1;
