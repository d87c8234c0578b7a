import { Injectable } from '@nestjs/common';
import { failpoint } from '../../../../libs/failpoint';
import type { CloseWhen, Ending } from '../../../../libs/redis-scripts';
import { IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import {
  type Activity,
  activityAlreadyOpen,
  type ActivityDto,
  ActivityRepository,
  ActivityViews,
} from '../../activity';
import { AuditLog } from '../../audit';
import { ActivityClosing } from './activity-closing';

@Injectable()
export class CloseService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly closing: ActivityClosing,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws activityNotFound, closeUnavailable */
  close(request: IdempotentRequest, id: string): Promise<ActivityDto> {
    return this.end(request, id, 'any-time');
  }

  /** @throws activityNotFound, activityAlreadyOpen, closeUnavailable */
  cancel(request: IdempotentRequest, id: string): Promise<ActivityDto> {
    return this.end(request, id, 'before-opening');
  }

  private async end(request: IdempotentRequest, id: string, when: CloseWhen): Promise<ActivityDto> {
    const answered = await this.idempotency.recall<ActivityDto>(request);
    if (answered) return answered;
    const activity = await this.activities.managedBy(request.caller, id);
    const ending = await this.refuseGrabs(activity, when);
    // A repetition does nothing, and storing an answer would take room for each new key.
    if (activity.status !== 'active') return this.views.one(activity);
    let refunded = false;
    const ended = await this.idempotency.once(request, async (tx) => {
      refunded = await this.closing.refund(tx, id, ending);
      await failpoint('close.before-commit');
      const after = (await this.activities.findActivity(id, tx))!;
      await this.audit.record(tx, request.caller, {
        action: when === 'before-opening' ? 'activity.cancel' : 'activity.close',
        id,
        before: { status: refunded ? 'active' : after.status },
        after: { status: after.status },
        detail: { ending, refunded },
      });
      return this.views.one(after);
    });
    await failpoint('close.after-commit');
    if (refunded) await this.closing.tidyUpOrLeave(activity);
    return ended;
  }

  private async refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending> {
    const ending = await this.closing.refuseGrabs(activity, when);
    if (ending === undefined || (when === 'before-opening' && ending !== 'cancelled')) {
      throw activityAlreadyOpen(`Activity ${activity.id} is open, or was; it can only be closed.`);
    }
    return ending;
  }
}
