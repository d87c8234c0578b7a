import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isStaff } from '../../../libs/roles';
import { type Caller, rateLimited } from '../../platform/http';
import { AuditLog } from '../audit';

/** Each deed leaves an audit entry, which is kept for years. */
const DEEDS_PER_DAY_MAX = 200;

/** How many of a user's latest deeds are read to count them. */
const DEEDS_LOOKED_AT_MAX = 2_000;

const RETRY_AFTER_SECONDS = 3_600;

/** Limits deeds that a sponsor could repeat without paying for them. */
@Injectable()
export class DailyDeeds {
  constructor(private readonly audit: AuditLog) {}

  /** Staff are not limited. @throws rateLimited */
  async requireRoom(tx: EntityManager, { role, userId }: Caller, action: string): Promise<void> {
    if (isStaff(role)) return;
    const count = await this.audit.countOfDay(tx, userId, action, DEEDS_LOOKED_AT_MAX);
    if (count < DEEDS_PER_DAY_MAX) return;
    throw rateLimited(`A user may do \`${action}\` ${DEEDS_PER_DAY_MAX} times within 24 hours.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
