import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../../libs/failpoint';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type ActivityDto, ActivityViews } from '../../activity';
import { AuditLog } from '../../audit';
import { LargeWrites } from '../large-writes';
import { ActivityLoader } from '../../recovery';
import { ActivityCreation } from './activity-creation';
import type { CreateActivityBody } from './create.dto';

@Injectable()
export class CreateService {
  private readonly logger = new Logger('Activity');

  constructor(
    private readonly creation: ActivityCreation,
    private readonly large: LargeWrites,
    private readonly loader: ActivityLoader,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Resolves when the activity is created and funded, and usually loaded; if Redis is down,
   * the sweeper loads it later.
   */
  create(request: IdempotentRequest, caller: Caller, body: CreateActivityBody): Promise<ActivityDto> {
    return this.large.admit(body.packetCount, () => this.createAdmitted(request, caller, body));
  }

  private async createAdmitted(
    request: IdempotentRequest,
    caller: Caller,
    body: CreateActivityBody,
  ): Promise<ActivityDto> {
    await this.creation.makeRoom();
    const created = await this.idempotency.once(request, async (tx) => {
      const activity = await this.creation.create(tx, caller, body);
      const { sponsorId, status } = activity;
      const { totalAmount, packetCount } = body;
      await this.audit.record(tx, caller, {
        action: 'activity.create',
        id: activity.id,
        after: { status, sponsorId, totalAmount, packetCount },
      });
      await this.loader.eraseLeftovers(activity);
      await failpoint('create.before-commit');
      return this.views.one(activity);
    });
    await failpoint('create.after-commit');
    await this.loader
      .loadNew(created.id)
      .catch((error: unknown) =>
        this.logger.warn(`Activity ${created.id} is left to the sweeper: ${String(error)}`),
      );
    return created;
  }
}
