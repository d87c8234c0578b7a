import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { must } from '../../../../libs/problem';
import {
  type Caller,
  IdempotencyService,
  type IdempotentRequest,
  invalidField,
} from '../../../platform/http';
import {
  type Activity,
  type ActivityDto,
  activityEnded,
  ActivityRepository,
  ActivityViews,
} from '../../activity';
import { AuditLog } from '../../audit';
import { LongerWindows } from '../../recovery';
import { DailyDeeds } from '../daily-deeds';
import { requireNear } from '../window';
import type { ExtendBody } from './extend.dto';
import { ExtendRepository } from './extend.repository';

/** Postgres, which decides about every end, has the new instant before Redis learns it. */
@Injectable()
export class ExtendService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly extensions: ExtendRepository,
    private readonly windows: LongerWindows,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly dailyDeeds: DailyDeeds,
  ) {}

  /**
   * Nobody has to confirm it: no money moves, all of it was confirmed at the creation, and a close is possible
   * at any time.
   *
   * @throws activityNotFound, activityEnded, rateLimited, Problem `request.invalid` naming the field
   */
  async extend(request: IdempotentRequest, id: string, { closesAt }: ExtendBody): Promise<ActivityDto> {
    const extended = await this.idempotency.once(request, async (tx) => {
      const activity = await this.perform(tx, request.caller, id, new Date(closesAt));
      return this.views.one(activity);
    });
    await this.windows.makeKnownOrLeave(id);
    return extended;
  }

  private async perform(tx: EntityManager, caller: Caller, id: string, closesAt: Date): Promise<Activity> {
    const { readAt } = await this.activities.managedBy(caller, id, tx);
    const end = await this.extensions.lockEnd(tx, id);
    if (!end) throw tooLate(id);
    requireNear('closesAt', closesAt, readAt);
    if (closesAt <= end) throw invalidField('closesAt', LATER);
    await this.dailyDeeds.requireRoom(tx, caller, 'activity.extend');
    await this.extensions.moveEnd(tx, id, closesAt);
    const after = (await this.activities.findActivity(id, tx))!;
    await this.audit.record(tx, caller, {
      action: 'activity.extend',
      id,
      before: { closesAt: end.toISOString() },
      after: { closesAt: after.closesAt.toISOString() },
    });
    return after;
  }
}

const LATER = must.beLaterThan('closesAt', 'must be later than the current closesAt');

const tooLate = (id: string): Error =>
  activityEnded(`Activity ${id} has ended, or ends within ten seconds; it cannot be extended.`);
