/** Milliseconds for which an activity counts as held up after it last was. */
const REMEMBERED_MS = 5_000;

/**
 * Activities whose rows another transaction kept locked a moment ago. Their confirmations are kept
 * apart from all others.
 */
export class HeldUpActivities {
  /** Ordered by the moment at which they end. */
  private readonly until = new Map<string, number>();

  has(activityId: string): boolean {
    const until = this.until.get(activityId);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.until.delete(activityId);
    return false;
  }

  add(activityId: string): void {
    this.until.delete(activityId);
    this.until.set(activityId, performance.now() + REMEMBERED_MS);
    this.purge();
  }

  /** Removes entries that have ended, because they may never be asked for again. */
  private purge(): void {
    for (const activityId of this.until.keys()) if (this.has(activityId)) return;
  }

  delete(activityId: string): void {
    this.until.delete(activityId);
  }
}
