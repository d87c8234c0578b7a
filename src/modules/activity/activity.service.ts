import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../libs/failpoint';
import type { CloseWhen, Ending } from '../../../libs/redis-scripts';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  type PageQuery,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../audit';
import { activityNotFound } from '../grab';
import { type Activity, mayManage } from './activity';
import { ActivityClosing } from './activity-closing';
import { ActivityCreation } from './activity-creation';
import type { ActivityDto, CreateActivityBody } from './activity.dto';
import { activityAlreadyOpen } from './activity.error';
import { ActivityLoader } from './activity-loader';
import { ActivityRepository } from './activity.repository';
import { ActivityViews } from './activity-views';
import { LargeWrites } from './large-writes';

@Injectable()
export class ActivityService {
  private readonly logger = new Logger('Activity');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly creation: ActivityCreation,
    private readonly large: LargeWrites,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** Created and funded when this returns, and as a rule loaded as well; if Redis is away the sweeper loads it later. */
  create(request: IdempotentRequest, caller: Caller, body: CreateActivityBody): Promise<ActivityDto> {
    return this.large.admit(body.packetCount, () => this.createAdmitted(request, caller, body));
  }

  private async createAdmitted(
    request: IdempotentRequest,
    caller: Caller,
    body: CreateActivityBody,
  ): Promise<ActivityDto> {
    const created = await this.idempotency.once(request, async (tx) => {
      const activity = await this.creation.create(tx, caller, body);
      const { sponsorId, status } = activity;
      const { totalAmount, packetCount } = body;
      await this.audit.record(tx, caller, {
        action: 'activity.create',
        id: activity.id,
        after: { status, sponsorId, totalAmount, packetCount },
      });
      await this.loader.eraseLeftovers(activity.id);
      await failpoint('create.before-commit');
      return this.views.one(activity);
    });
    await failpoint('create.after-commit');
    await this.loader
      .load(created.id)
      .catch((error: unknown) =>
        this.logger.warn(`Activity ${created.id} is left to the sweeper: ${String(error)}`),
      );
    return created;
  }

  /** @throws activityNotFound */
  async read(id: string): Promise<ActivityDto> {
    const activity = await this.activities.find(id);
    if (!activity) throw notFound(id);
    return this.views.one(activity);
  }

  async list({ limit, cursor }: PageQuery): Promise<Page<ActivityDto>> {
    const rows = await this.activities.list(decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: await this.views.many(items), nextCursor };
  }

  /** @throws activityNotFound, closeUnavailable */
  close(request: IdempotentRequest, caller: Caller, id: string): Promise<ActivityDto> {
    return this.end(request, caller, id, 'any-time');
  }

  /** @throws activityNotFound, activityAlreadyOpen, closeUnavailable */
  cancel(request: IdempotentRequest, caller: Caller, id: string): Promise<ActivityDto> {
    return this.end(request, caller, id, 'before-opening');
  }

  private async end(
    request: IdempotentRequest,
    caller: Caller,
    id: string,
    when: CloseWhen,
  ): Promise<ActivityDto> {
    const answered = await this.idempotency.recall<ActivityDto>(request);
    if (answered) return answered;
    const activity = await this.findEndable(caller, id);
    const ending = await this.refuseGrabs(activity, when);
    let refunded = false;
    const ended = await this.idempotency.once(request, async (tx) => {
      refunded = await this.closing.refund(tx, id, ending);
      await failpoint('close.before-commit');
      const after = (await this.activities.find(id, tx))!;
      if (activity.status === 'active') {
        await this.audit.record(tx, caller, {
          action: when === 'before-opening' ? 'activity.cancel' : 'activity.close',
          id,
          before: { status: refunded ? 'active' : after.status },
          after: { status: after.status },
          detail: { ending, refunded },
        });
      }
      return this.views.one(after);
    });
    await failpoint('close.after-commit');
    if (refunded) await this.closing.tidyUpOrLeave(activity);
    return ended;
  }

  private async findEndable(caller: Caller, id: string): Promise<Activity> {
    const activity = await this.activities.find(id);
    if (!activity || !mayManage(caller, activity)) throw notFound(id);
    return activity;
  }

  private async refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending> {
    const ending = await this.closing.refuseGrabs(activity, when);
    if (ending === undefined || (when === 'before-opening' && ending !== 'cancelled')) {
      throw activityAlreadyOpen(`Activity ${activity.id} is open, or was; it can only be closed.`);
    }
    return ending;
  }
}

const notFound = (id: string): Error => activityNotFound(`There is no activity ${id}.`);
