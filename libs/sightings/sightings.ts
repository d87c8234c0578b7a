/** More sightings would only make the age more exact. */
const SIGHTINGS_PER_AGE = 8;

/**
 * Tracks how far a growing series reached one age ago, as this process saw it: everything before that end is
 * at least that old. No other computer's clock is used: after that clock has stepped, entries it has dated
 * would look young for hours, or suddenly old.
 *
 * If the server of the series was replaced, the new end may lie before an end that was seen earlier. Then
 * young members count as old, so the work that follows must be harmless to them.
 */
export class Sightings<End> {
  private readonly seen: { readonly end: End; readonly atMs: number }[] = [];

  /** @param nowMs a clock of this process that never steps */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Returns the last end noted at least `ageMs` before this one; undefined if there is none. */
  note(end: End, ageMs: number): End | undefined {
    const nowMs = this.nowMs();
    const last = this.seen.at(-1);
    if (!last || nowMs - last.atMs >= ageMs / SIGHTINGS_PER_AGE) this.seen.push({ end, atMs: nowMs });
    const oldEnough = this.seen.findLastIndex(({ atMs }) => nowMs - atMs >= ageMs);
    if (oldEnough < 0) return undefined;
    this.seen.splice(0, oldEnough);
    return this.seen[0]!.end;
  }
}
