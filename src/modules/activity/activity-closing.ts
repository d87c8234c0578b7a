import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type CloseWhen, Dispenser } from '../../../libs/redis-scripts';
import { Journal } from '../grab';
import { LedgerRepository } from '../wallet';
import { type Activity, windowOf } from './activity';
import { closeUnavailable } from './activity.error';
import { ActivityRepository } from './activity.repository';

/**
 * Ends an activity and gives the sponsor back what nobody took.
 *
 * The order is what makes it right:
 *
 * 1. Redis refuses new grabs. Its clock alone says whether it is late (or early) enough.
 * 2. The journal is drained: whoever drew a packet before that moment is confirmed or refused, and not forgotten.
 * 3. Postgres takes the activity's row against all confirmations, adds up what is left, refunds it and sets the status,
 *    in one transaction. The refund is keyed by the activity, so a second closer, or the same one after a crash, finds
 *    the status set and does nothing.
 *
 * A confirmation that comes between 2 and 3 still counts; one that comes after 3 is refused. Claims that are not yet
 * paid stay funded in the escrow.
 */
@Injectable()
export class ActivityClosing {
  private readonly logger = new Logger('ActivityClosing');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly ledger: LedgerRepository,
    private readonly dispenser: Dispenser,
    private readonly journal: Journal,
  ) {}

  /**
   * Closes within `tx`. False when the clock of Redis does not allow it (see `CloseWhen`); true also when the activity was
   * closed before.
   *
   * @throws closeUnavailable when Redis is away
   */
  async close(tx: EntityManager, activity: Activity, when: CloseWhen): Promise<boolean> {
    if (activity.status !== 'active') return true;
    if (!(await this.refuseGrabs(activity, when))) return false;
    await this.refundRemainder(tx, activity.id, when === 'before-opening' ? 'cancelled' : 'closed');
    return true;
  }

  private async refuseGrabs(activity: Activity, when: CloseWhen): Promise<boolean> {
    try {
      if (!(await this.dispenser.close(activity.id, when, windowOf(activity)))) return false;
      await this.journal.drain(activity.id);
      return true;
    } catch (cause) {
      throw closeUnavailable('Try again in a moment; no money has moved.', { retryAfterSeconds: 2, cause });
    }
  }

  private async refundRemainder(
    tx: EntityManager,
    id: string,
    status: 'closed' | 'cancelled',
  ): Promise<void> {
    const activity = await this.activities.lockActive(tx, id);
    if (!activity) return;
    const remainder = await this.activities.remainder(tx, id);
    if (remainder > 0n) {
      await this.ledger.transfer(tx, {
        kind: 'refund',
        sourceId: id,
        activityId: id,
        debitAccountId: activity.escrowAccountId,
        creditAccountId: activity.sponsorAccountId,
        amountMinor: remainder,
      });
    }
    await this.activities.setClosed(tx, id, status);
    this.logger.log(`Activity ${id} is ${status}; ${remainder} minor units go back to the sponsor.`);
  }

  /** After the commit: packets of a closed activity are only memory. */
  async tidyUp(activityId: string): Promise<void> {
    await this.dispenser
      .discardPackets(activityId)
      .catch((error: unknown) => this.logger.warn(String(error)));
  }
}
