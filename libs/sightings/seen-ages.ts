/**
 * Ages of items dated by another computer's clock. That clock also knows the age of items that are new to
 * this process. After it has been set back, its ages are too small or negative; then the sightings of this
 * process are right.
 */
export class SeenAges<Series> {
  private readonly heads = new Map<Series, { readonly id: string; readonly sinceMs: number }>();

  /** @param nowMs a clock of this process that never steps */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Returns the age of the oldest member of a series, which is never negative.
   * @param id the member that is the oldest now; undefined if there is none, for an age of 0
   * @param byClock its age by the other computer's clock, in seconds
   */
  secondsOf(series: Series, id: string | undefined, byClock: number): number {
    if (id === undefined) {
      this.heads.delete(series);
      return 0;
    }
    const nowMs = this.nowMs();
    let head = this.heads.get(series);
    if (head?.id !== id) this.heads.set(series, (head = { id, sinceMs: nowMs }));
    return Math.max(byClock, (nowMs - head.sinceMs) / 1_000);
  }
}
