import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../../libs/roles';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type ActivityDto, ActivityViews } from '../../activity';
import { type ApprovalDto, ApprovalRequests } from '../../../extensions/approval';
import { ActivityCreation } from './activity-creation';
import type { CreateActivityBody } from './create.dto';
import { CreationDeed } from './creation-deed';

@Injectable()
export class CreateService {
  constructor(
    private readonly creation: ActivityCreation,
    private readonly deed: CreationDeed,
    private readonly approvals: ApprovalRequests,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Resolves when the activity is created and funded, and usually loaded. If staff spend an amount
   * that needs an approval, that is requested instead.
   */
  create(request: IdempotentRequest, body: CreateActivityBody): Promise<ActivityDto | ApprovalDto> {
    const { caller } = request;
    const write = () =>
      this.idempotency.once(request, async (tx, sourceId) => {
        const perform = async () => this.views.one(await this.deed.perform(tx, caller, body));
        if (!isStaff(caller.role)) return perform();
        const wish = await this.wish(tx, caller, body);
        return this.approvals.doOrAsk(tx, request, { ...wish, sourceId }, perform);
      });
    return this.deed.around(caller, body.packetCount, write, (answer) =>
      'askedBy' in answer ? undefined : answer.id,
    );
  }

  private async wish(tx: EntityManager, caller: Caller, body: CreateActivityBody) {
    const { sponsorId, terms } = await this.creation.plan(tx, caller, body);
    return {
      ...({ action: 'activity.create', subjectId: sponsorId, amountMinor: terms.totalMinor } as const),
      terms: { ...body, sponsorId },
    };
  }
}
