import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import type { Caller } from '../../../platform/http';
import type { Activity } from '../../activity';
import { AuditLog } from '../../audit';
import { ActivityLoader } from '../../recovery';
import { LargeWrites } from '../large-writes';
import { ActivityCreation } from './activity-creation';
import type { CompletedBody } from './completed-body';

/** Creates an activity, records it in the audit log, and loads it after the commit. */
@Injectable()
export class LoadedCreation {
  private readonly logger = new Logger('Activity');

  constructor(
    private readonly creation: ActivityCreation,
    private readonly large: LargeWrites,
    private readonly loader: ActivityLoader,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Runs a transaction that may call `perform`, and loads the activity after the commit. If Redis
   * is down, the sweeper loads it later.
   *
   * @param createdBy the id of the activity; undefined if none was created
   */
  around<T>(
    caller: Caller,
    packetCount: number,
    transaction: () => Promise<T>,
    createdBy: (answer: T) => string | undefined,
  ): Promise<T> {
    return this.large.admit(caller, packetCount, async () => {
      await this.creation.makeRoom();
      const answer = await transaction();
      await failpoint('create.after-commit');
      const id = createdBy(answer);
      if (id !== undefined) await this.load(id);
      return answer;
    });
  }

  /** @throws everything that `ActivityCreation.create` throws */
  async perform(tx: EntityManager, caller: Caller, body: CompletedBody, sourceId: string): Promise<Activity> {
    const activity = await this.creation.create(tx, caller, body, sourceId);
    const { sponsorId, status } = activity;
    const { totalAmount, currency, rehearsal, packetCount } = body;
    await this.audit.record(tx, caller, {
      action: 'activity.create',
      id: activity.id,
      after: { status, sponsorId, totalAmount, currency, rehearsal, packetCount },
    });
    await this.loader.eraseLeftovers(activity);
    await failpoint('create.before-commit');
    return activity;
  }

  private async load(id: string): Promise<void> {
    await this.loader
      .loadNew(id)
      .catch((error: unknown) => this.logger.warn(`Activity ${id} is left to the sweeper: ${String(error)}`));
  }
}
