/** The time since an activity was last held up. */
const REMEMBERED_MS = 5_000;

/** Activities whose rows were locked a moment ago: they are confirmed apart from all others. */
export class HeldUpActivities {
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

  /** Entries that have ended may never be asked for again. */
  private purge(): void {
    for (const activityId of this.until.keys()) if (this.has(activityId)) return;
  }

  delete(activityId: string): void {
    this.until.delete(activityId);
  }
}
