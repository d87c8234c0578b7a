import { Injectable } from '@nestjs/common';
import { InjectUrgentPool, type Queries } from '../../platform/postgres';
import { ActivityRepository } from './activity.repository';

/** Postgres is asked again after this long, or as soon as the window should be over. */
const ASKED_AGAIN_AFTER_MS = 1_000;
const REMEMBERED_MAX = 10_000;

interface Look {
  readonly isOver: Promise<boolean>;
  /** A time of the monotonic clock of this process. */
  until: number;
}

/**
 * Answers whether the window of an activity is over by the clock of Postgres as well. Postgres is
 * asked only when Redis says so, which a whole crowd sees at the very end: all of them share one
 * query. A "no" is kept for a moment, a "yes" forever.
 */
@Injectable()
export class WindowEnd {
  private readonly looks = new Map<string, Look>();

  constructor(
    private readonly activities: ActivityRepository,
    @InjectUrgentPool() private readonly db: Queries,
  ) {}

  isOver(activityId: string): Promise<boolean> {
    const known = this.looks.get(activityId);
    if (known && performance.now() < known.until) return known.isOver;
    const look: Look = { isOver: this.readIsOver(activityId), until: Infinity };
    this.remember(activityId, look);
    return look.isOver;
  }

  private async readIsOver(activityId: string): Promise<boolean> {
    const askedAt = performance.now();
    let waitMs = 0;
    try {
      const remainingMs = await this.activities.windowRemainingMs(activityId, this.db);
      if (remainingMs <= 0) waitMs = Infinity;
      else waitMs = Math.min(remainingMs, ASKED_AGAIN_AFTER_MS);
      return remainingMs <= 0;
    } finally {
      const look = this.looks.get(activityId);
      if (look) look.until = askedAt + waitMs;
    }
  }

  private remember(activityId: string, look: Look): void {
    this.looks.delete(activityId);
    this.looks.set(activityId, look);
    if (this.looks.size > REMEMBERED_MAX) this.looks.delete(this.looks.keys().next().value!);
  }
}
