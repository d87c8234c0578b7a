import { Injectable } from '@nestjs/common';
import { isStaff } from '../../../libs/roles';
import { ActivityRepository } from '../../core/activity';
import { AuditLog } from '../../core/audit';
import { type Caller, IdempotencyService, type IdempotentRequest, rateLimited } from '../../platform/http';
import { noShareCode } from './audience.error';
import type { AudienceDto, ShareCodeDto } from './audience-terms.dto';
import { AudienceRepository } from './audience.repository';
import { HiddenActivities, newShareCode } from './hidden-activities';

const ROTATION = 'activity.share-code';

/** Each rotation leaves an audit entry, which is kept for years. */
const ROTATIONS_PER_DAY_MAX = 100;
const DEEDS_LOOKED_AT_MAX = 2_000;
const RETRY_AFTER_SECONDS = 3_600;

@Injectable()
export class AudienceService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly hidden: HiddenActivities,
    private readonly rows: AudienceRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws activityNotFound, as for callers who are neither its sponsor nor staff */
  async read(caller: Caller, activityId: string): Promise<AudienceDto> {
    await this.activities.managedBy(caller, activityId);
    return this.hidden.audienceOf(activityId);
  }

  /**
   * The code is not stored with the answer: a client that repeats its request receives the one that is valid.
   * @throws activityNotFound, noShareCode, rateLimited
   */
  async rotate(request: IdempotentRequest, activityId: string): Promise<ShareCodeDto> {
    const { caller } = request;
    await this.activities.managedBy(caller, activityId);
    await this.idempotency.once(request, async (tx) => {
      if (!isStaff(caller.role)) {
        const count = await this.audit.countOfDay(tx, caller.userId, ROTATION, DEEDS_LOOKED_AT_MAX);
        if (count >= ROTATIONS_PER_DAY_MAX)
          throw rateLimited(`A user may do \`${ROTATION}\` ${ROTATIONS_PER_DAY_MAX} times within 24 hours.`, {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          });
      }
      if (!(await this.rows.rotate(tx, activityId, newShareCode()))) throw withoutCode(activityId);
      await this.audit.record(tx, caller, { action: ROTATION, id: activityId });
      return {};
    });
    const { shareCode } = await this.hidden.audienceOf(activityId);
    if (shareCode === undefined) throw withoutCode(activityId);
    return { shareCode };
  }
}

const withoutCode = (id: string): Error =>
  noShareCode(`Activity ${id} is not for those with its link. An audience never changes.`);
