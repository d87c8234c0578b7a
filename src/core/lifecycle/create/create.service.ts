import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../../libs/roles';
import { type Caller, IdempotencyService, type IdempotentRequest } from '../../../platform/http';
import { type ActivityDto, ActivityViews } from '../../activity';
import { isPending, type PendingDeed, SecondPerson } from '../../second-person';
import { CREATION } from '../deeds';
import { ActivityCreation } from './activity-creation';
import type { CompletedBody } from './completed-body';
import type { CreateActivityBody } from './create.dto';
import { DrawSeeds } from './draw-seeds';
import { LoadedCreation } from './loaded-creation';

/** The body of a creation, and the sponsor that it may have left out. */
type CreationTerms = CompletedBody & { readonly sponsorId: string };

@Injectable()
export class CreateService {
  constructor(
    private readonly creation: ActivityCreation,
    private readonly loaded: LoadedCreation,
    private readonly seeds: DrawSeeds,
    private readonly secondPerson: SecondPerson,
    private readonly views: ActivityViews,
    private readonly idempotency: IdempotencyService,
  ) {
    secondPerson.registerDeed<CreationTerms>({
      ...CREATION,
      around: (approver, { terms }, transaction) =>
        loaded.around(approver, terms.packetCount, transaction, ({ resultId }) => resultId ?? undefined),
      perform: async (tx, approver, { terms, sourceId }) => {
        const { id } = await loaded.perform(tx, approver, terms, sourceId);
        return { resultId: id, detail: { activityId: id } };
      },
    });
  }

  /**
   * Resolves when the activity is created and funded, and usually loaded. If staff spend an amount
   * that needs a second person, it is requested instead.
   */
  create(request: IdempotentRequest, wished: CreateActivityBody): Promise<ActivityDto | PendingDeed> {
    const { caller } = request;
    const write = () =>
      this.idempotency.once(request, async (tx, sourceId) => {
        const body = await this.creation.complete(tx, caller, wished);
        const perform = async () => this.views.one(await this.loaded.perform(tx, caller, body, sourceId));
        if (!isStaff(caller.role)) return perform();
        const wish = await this.wish(tx, caller, body);
        await this.seeds.take(tx, caller, body, sourceId);
        return this.secondPerson.performOrRequest(tx, request, { ...wish, sourceId }, perform);
      });
    return this.loaded.around(caller, wished.packetCount, write, (answer) =>
      isPending(answer) ? undefined : answer.id,
    );
  }

  private async wish(tx: EntityManager, caller: Caller, body: CompletedBody) {
    const { sponsorId, currency, terms } = await this.creation.plan(tx, caller, body);
    const creationTerms: CreationTerms = { ...body, sponsorId };
    return {
      action: CREATION.action,
      subjectId: sponsorId,
      currency,
      amountMinor: terms.totalMinor,
      terms: creationTerms,
    };
  }
}
