import { Injectable } from '@nestjs/common';
import { decodeCursor, type Page, type PageQuery, toPage } from '../../platform/http';
import type { ActivityDto } from './activity.dto';
import { noSuchActivity } from './activity.error';
import { ActivityRepository } from './activity.repository';
import { ActivityViews } from './activity-views';

@Injectable()
export class ActivityService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly views: ActivityViews,
  ) {}

  /** @throws activityNotFound */
  async read(id: string): Promise<ActivityDto> {
    const activity = await this.activities.find(id);
    if (!activity) throw noSuchActivity(id);
    return this.views.one(activity);
  }

  async list({ limit, cursor }: PageQuery): Promise<Page<ActivityDto>> {
    const rows = await this.activities.list(decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: await this.views.many(items), nextCursor };
  }
}
