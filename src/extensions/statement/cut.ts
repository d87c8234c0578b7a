import { dayOf, type Line } from './statement';

/**
 * A cut is accepted once the walk has passed this many more entries on its right side than on its wrong side.
 */
const DOUBTED = 1_000;

/**
 * Finds where a day ends, from its newest entry back: where the fewest entries are on the wrong side, which are those
 * before the cut that are dated after the day, and those after it that are not. Of equal ones it is the oldest, so what
 * disagrees is late rather than early.
 *
 * Where dates follow ids this is the boundary between two dates. A clock that was set back or ahead misdates a few
 * entries: they are booked with those next to them. The cut of an earlier day is never newer.
 */
export class Cut {
  /** Walked past the cut, newest first. */
  private doubted: Line[] = [];
  private excess = 0;

  constructor(private readonly day: string) {}

  /** Returns the entries that turn out to be after the cut. */
  walkPast(entry: Line): readonly Line[] {
    this.doubted.push(entry);
    this.excess += dayOf(entry.at) > this.day ? -1 : 1;
    if (this.excess > 0) return [];
    this.excess = 0;
    return this.doubted.splice(0);
  }

  get isFound(): boolean {
    return this.excess > DOUBTED;
  }

  /** The entries before the cut that were walked to find it. */
  get before(): readonly Line[] {
    return this.doubted;
  }
}
