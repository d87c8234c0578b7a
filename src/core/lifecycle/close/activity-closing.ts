import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import type { CloseWhen, Ending } from '../../../../libs/redis-scripts';
import type { Activity } from '../../activity';
import { LedgerRepository, type Transfer } from '../../wallet';
import { ActivityTidying } from '../../recovery';
import { ClosingRepository, type Remainder } from './closing.repository';
import { GrabRefusal } from './grab-refusal';

/** The refunds of a hundred sponsors wait this long for the wallet of one. */
const STRANGERS_WAIT_MAX_MS = 100;

/**
 * Ends an activity and refunds the packets without a claim to the sponsor. The order of the steps is what
 * makes it safe:
 *
 * 1. {@link refuseGrabs}: Postgres stores the decision that the activity ends, if its clock says that it is
 *    late (or early) enough. From now on it is not loaded into Redis any more. Then Redis refuses new grabs,
 *    if its own clock says so as well; otherwise the decision is withdrawn. A step that cannot be undone
 *    never depends on one clock. Then the journal is drained: users who drew a packet before that moment are
 *    confirmed or refused, and not forgotten.
 * 2. {@link refund}: Postgres locks the activity's row against all confirmations, computes the
 *   remainder, refunds it and sets the status, in one transaction. The refund is keyed by the
 *   activity, so a second closer, or the same one after a crash, finds the status set and does
 *   nothing.
 * 3. {@link tidyUpOrLeave}: Redis forgets the packets, and receives all claims.
 *
 * A confirmation that comes between 1 and 2 still counts; one that comes after 2 is refused. Claims
 * that are not yet paid stay funded in the escrow. A closer that dies has left its decision in
 * Postgres, and the sweeper continues from there, even with a Redis that has forgotten everything
 * since: an activity that was answered "closed" never opens again.
 *
 * Step 1 must not run inside a transaction: draining confirms over connections of its own, and closers that
 * each held a connection would wait for each other's.
 */
@Injectable()
export class ActivityClosing {
  private readonly logger = new Logger('ActivityClosing');

  constructor(
    private readonly closings: ClosingRepository,
    private readonly ledger: LedgerRepository,
    private readonly refusal: GrabRefusal,
    private readonly tidying: ActivityTidying,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Returns how the activity ends, from now on; undefined if a clock does not allow it (see
   * `CloseWhen`).
   *
   * @throws closeUnavailable
   */
  refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending | undefined> {
    return this.refusal.refuseGrabs(activity, when);
  }

  /**
   * Refunds the remainder; call it only after {@link refuseGrabs}. Returns false, and does nothing,
   * if the activity has ended already.
   *
   * @throws closeUnavailable if this Postgres lacks commits that Redis remembers
   */
  async refund(tx: EntityManager, id: string, ending: Ending): Promise<boolean> {
    await this.refusal.expectNothingLost({ id, parts: 1 }, tx);
    const activity = await this.closings.lockActive(tx, id);
    if (!activity) return false;
    if (activity.parts > 1) await this.refusal.expectNothingLost(activity, tx);
    const remainder = await this.closings.remainder(tx, id);
    if (remainder > 0n) {
      await this.ledger.transfer(tx, refundOf({ ...activity, amountMinor: remainder }));
    }
    const status = statusOf(await this.closings.hasClaims(id, tx), ending);
    await this.closings.setClosed(tx, id, status);
    this.logger.log(`Activity ${id} is ${status}; ${remainder} minor units go back to the sponsor.`);
    return true;
  }

  /**
   * Runs all steps but the last for many active activities in one part whose window is over, in one transaction.
   * Returns those that it has refunded. Others are locked, have ended, or cannot end yet.
   *
   * @throws closeUnavailable, balanceLimitReached: then none is refunded
   */
  async refundTogether(activities: readonly Activity[]): Promise<string[]> {
    if (activities.length === 0) return [];
    const endings = await this.refusal.refuseTogether(activities);
    const refused = activities.filter(({ id }) => endings.has(id));
    if (refused.length === 0) return [];
    const refunded = await this.dataSource.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = ${STRANGERS_WAIT_MAX_MS}`);
      await this.refusal.expectNothingLostOf(refused, tx);
      const remainders = await this.closings.lockRemainders(tx, [...endings.keys()]);
      const owed = remainders.filter(({ amountMinor }) => amountMinor > 0n);
      await this.ledger.transferTogether(tx, owed.map(refundOf));
      const statuses = remainders.map(
        ({ id, hasClaims }) => [id, statusOf(hasClaims, endings.get(id)!)] as const,
      );
      await this.closings.setAllClosed(tx, new Map(statuses));
      return remainders;
    });
    for (const { id, amountMinor } of refunded)
      this.logger.log(`Activity ${id} has ended; ${amountMinor} minor units went back to the sponsor.`);
    await failpoint('close.after-commit');
    return refunded.map(({ id }) => id);
  }

  /** Call it after the commit. */
  tidyUpOrLeave({ id }: Pick<Activity, 'id'>): Promise<void> {
    return this.tidying.tidyUpOrLeave(id);
  }

  /** Runs all steps, for callers without a transaction. Returns whether the activity has ended. */
  async close(activity: Activity, when: CloseWhen): Promise<boolean> {
    const ending = await this.refuseGrabs(activity, when);
    if (ending === undefined) return false;
    const refunded = await this.dataSource.transaction((tx) => this.refund(tx, activity.id, ending));
    await failpoint('close.after-commit');
    if (refunded) await this.tidyUpOrLeave(activity);
    return true;
  }
}

const refundOf = ({
  id,
  escrowAccountId,
  sponsorAccountId,
  amountMinor,
}: Omit<Remainder, 'hasClaims'>): Transfer => ({
  kind: 'refund',
  sourceId: id,
  activityId: id,
  debitAccountId: escrowAccountId,
  creditAccountId: sponsorAccountId,
  amountMinor,
});

/** A win that comes to light now was answered earlier, so the activity was not cancelled. */
const statusOf = (hasClaims: boolean, ending: Ending): Ending => (hasClaims ? 'closed' : ending);
