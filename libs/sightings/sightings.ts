/** More would only tell the age more exactly. */
const SIGHTINGS_PER_AGE = 8;

/**
 * Says how far a growing series had come an age ago, because it was seen there: what stands before that end is at least
 * that old. Nobody else's clock is asked. A clock that steps makes what it has dated look young for hours, or old at once.
 *
 * The end of a series whose server was replaced may lie before one that was seen earlier. Then young members are taken
 * for old ones, so what follows must be harmless to them.
 */
export class Sightings<End> {
  private readonly seen: { readonly end: End; readonly atMs: number }[] = [];

  /** @param nowMs a clock of this process that never steps */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Notes where the end is now. Returns the last one that was noted `ageMs` ago; undefined when there is none yet. */
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
