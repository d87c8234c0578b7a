import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { busy, decodeCursor, encodeCursor, type Page, toPage } from '../../platform/http';
import type { Activity } from './activity';
import type { ActivitiesQuery, ActivityDto, Phase } from './activity.dto';
import { logoNotFound, noSuchActivity } from './activity.error';
import { ActivityRepository } from './activity.repository';
import { ActivityViews } from './activity-views';
import { type Logo, typeOf } from './logo';

/** How many activities are searched for one page of a phase. */
const LOOKED_AT_MAX = 100;

/**
 * A phase that is missing here allows both states: an activity whose window is over is in the phase
 * `closed` before its row is.
 */
const IS_ACTIVE: Partial<Record<Phase, boolean>> = {
  scheduled: true,
  open: true,
  'sold-out': true,
  settled: false,
};

const LOGOS_PER_QUERY_MAX = 100;
const LOGOS_WAITING_MAX = 5_000;

@Injectable()
export class ActivityService {
  /** Anyone may request a logo without a token, so all such requests share one query at a time. */
  private readonly logos = new Batcher<string, Buffer | undefined>({
    run: (ids) => this.logosOf(ids),
    sizeMax: LOGOS_PER_QUERY_MAX,
    concurrencyMax: 1,
  });

  constructor(
    private readonly activities: ActivityRepository,
    private readonly views: ActivityViews,
  ) {}

  /** @throws activityNotFound */
  async read(id: string): Promise<ActivityDto> {
    const activity = await this.activities.findActivity(id);
    if (!activity) throw noSuchActivity(id);
    return this.views.one(activity);
  }

  /** @throws busy; logoNotFound, even if the activity does not exist */
  async logo(id: string): Promise<Logo> {
    if (this.logos.size >= LOGOS_WAITING_MAX)
      throw busy('Too many logos are requested at once; try again.', { retryAfterSeconds: 1 });
    const bytes = await this.logos.submit(id);
    if (!bytes) throw logoNotFound(`Activity ${id} has no logo.`);
    return { type: typeOf(bytes)!, bytes };
  }

  /** @param viewerId sees public activities and their own, without play money; without a viewer, all are listed */
  async list(
    { limit, cursor, phase, sponsorId, name }: ActivitiesQuery,
    viewerId: string | undefined,
  ): Promise<Page<ActivityDto>> {
    const withPlayMoney = viewerId === undefined;
    const filter = { viewerId, sponsorId, isActive: phase && IS_ACTIVE[phase], withPlayMoney };
    const before = decodeCursor(cursor);
    const count = 1 + (phase === undefined ? limit : LOOKED_AT_MAX);
    const named = name === undefined ? undefined : await this.activities.named(name, filter, before, count);
    const rows = await this.activities.list({ ...filter, ids: named?.ids }, before, count);
    const { items, nextCursor } = await (phase === undefined
      ? this.pageOf(rows, limit)
      : this.pageOfPhase(rows, phase, limit));
    return { items, nextCursor: nextCursor ?? (named?.lookedTo ? encodeCursor(named.lookedTo) : null) };
  }

  private async logosOf(ids: readonly string[]): Promise<(Buffer | undefined)[]> {
    const found = await this.activities.logos([...new Set(ids)]);
    return ids.map((id) => found.get(id));
  }

  private async pageOf(rows: readonly Activity[], limit: number): Promise<Page<ActivityDto>> {
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: await this.views.many(items), nextCursor };
  }

  /**
   * Phases depend on the clock and on the packets in Redis, so they are computed one by one. The
   * page ends with the last activity that was searched, and has a cursor if more follow, however
   * few are in the phase.
   */
  private async pageOfPhase(
    rows: readonly Activity[],
    phase: Phase,
    limit: number,
  ): Promise<Page<ActivityDto>> {
    const lookedAt = rows.slice(0, LOOKED_AT_MAX);
    const inPhase = await this.views.many(lookedAt, phase);
    if (inPhase.length > limit) return toPage(inPhase, limit, ({ id }) => id);
    const nextCursor = rows.length > LOOKED_AT_MAX ? encodeCursor(lookedAt.at(-1)!.id) : null;
    return { items: inPhase, nextCursor };
  }
}
