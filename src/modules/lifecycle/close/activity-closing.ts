import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import {
  type CloseWhen,
  type Ending,
  OwnRedis,
  RainClosing,
  Standings,
} from '../../../../libs/redis-scripts';
import {
  type Activity,
  ActivityRepository,
  closeUnavailable,
  type Intention,
  windowOf,
} from '../../activity';
import { Journal } from '../../grab';
import { LedgerRepository } from '../../wallet';
import { ActivityTidying } from '../tidy/activity-tidying';

/**
 * Ends an activity and gives the sponsor back what nobody took, in steps whose order is what makes it right:
 *
 * 1. {@link refuseGrabs}: Postgres is told that the activity is to end, if its clock says that it is late (or early) enough.
 *    From now on nobody loads it into Redis. Then Redis refuses new grabs, if its own clock says so as well; else the
 *    decision is withdrawn. What cannot be undone never depends on one clock. Then the journal is drained: those who drew a
 *    packet before that moment are confirmed or refused, and not forgotten.
 * 2. {@link refund}: Postgres locks the activity's row against all confirmations, adds up what is left, refunds it and
 *    sets the status, in one transaction. The refund is keyed by the activity, so a second closer, or the same one
 *    after a crash, finds the status set and does nothing.
 * 3. {@link tidyUpOrLeave}: Redis forgets the packets, and is told all claims.
 *
 * A confirmation that comes between 1 and 2 still counts; one that comes after 2 is refused. Claims that are not yet
 * paid stay funded in the escrow. A closer that dies has left its decision in Postgres, and the sweeper goes on from there,
 * even with a Redis that has forgotten everything since: what users have heard is closed never opens again.
 *
 * Step 1 must not run inside a transaction: draining confirms over connections of its own, and closers that each
 * held one would wait for each other's.
 */
@Injectable()
export class ActivityClosing {
  private readonly logger = new Logger('ActivityClosing');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly ledger: LedgerRepository,
    private readonly rain: RainClosing,
    private readonly standings: Standings,
    private readonly own: OwnRedis,
    private readonly journal: Journal,
    private readonly tidying: ActivityTidying,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * How the activity ends, from now on; undefined when the clock of Redis or that of Postgres does not allow it (see
   * `CloseWhen`).
   *
   * @throws closeUnavailable when Redis, or Postgres for the drain, is away, or a newer version has loaded the activity: it
   * goes on with the decision
   */
  async refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending | undefined> {
    if (activity.status !== 'active') return activity.status;
    try {
      if (this.own.isAhead) throw new Error('Redis is being set right');
      const intention = await this.activities.intend(activity.id, when);
      await failpoint('close.after-intention');
      if (intention) return await this.carryOut(activity, intention, when);
      // It is not the time, or somebody else was faster.
      const { status } = (await this.activities.find(activity.id))!;
      if (status !== 'active') return status;
      return when === 'any-time' ? await this.refuseGrabs(activity, when) : undefined;
    } catch (cause) {
      throw closeUnavailable('Try again in a moment; no money has moved.', { retryAfterSeconds: 2, cause });
    }
  }

  /** Also carries out a decision of somebody else, who may have died or be at work: the first one stands. */
  private async carryOut(
    activity: Activity,
    intention: Intention,
    when: CloseWhen,
  ): Promise<Ending | undefined> {
    if (!(await this.refuse(activity, intention, when))) {
      await this.activities.withdraw(activity.id, intention);
      return when === 'any-time' ? this.refuseGrabs(activity, when) : undefined;
    }
    await failpoint('close.after-refuse');
    await this.journal.drain(activity.id);
    await failpoint('close.after-drain');
    return intention.ending;
  }

  /** Returns whether Redis refuses from now on. */
  private async refuse(activity: Activity, intention: Intention, when: CloseWhen): Promise<boolean> {
    const { ending } = intention;
    const refused = (on: CloseWhen) => this.rain.close(activity.id, on, windowOf(activity), ending);
    if (await refused(conditionOf(intention, when))) return true;
    const mayHaveRefusedBefore =
      !intention.isNew && ending === 'cancelled' && (await this.isUntouched(activity.id));
    return mayHaveRefusedBefore && (await refused('any-time')) !== undefined;
  }

  /**
   * A rain that was to be cancelled may have passed its opening by the time that a process goes on with it. Where Redis
   * has lost it and nobody has won, another Redis may have answered that it is over, and nobody can have drawn since.
   */
  private async isUntouched(id: string): Promise<boolean> {
    const { status } = await this.standings.of(id);
    return status !== 'open' && !(await this.activities.hasClaims(id));
  }

  /** Only after {@link refuseGrabs}. Does nothing, and says so, when the activity has ended already. */
  async refund(tx: EntityManager, id: string, ending: Ending): Promise<boolean> {
    const activity = await this.activities.lockActive(tx, id);
    if (!activity) return false;
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
    // A win that comes to light now was told before: then it was not cancelled.
    const status = (await this.activities.hasClaims(id, tx)) ? 'closed' : ending;
    await this.activities.setClosed(tx, id, status);
    this.logger.log(`Activity ${id} is ${status}; ${remainder} minor units go back to the sponsor.`);
    return true;
  }

  /** After the commit. */
  tidyUpOrLeave({ id }: Activity): Promise<void> {
    return this.tidying.tidyUpOrLeave(id);
  }

  /** All steps, for those who have no transaction of their own. Returns whether the activity has ended. */
  async close(activity: Activity, when: CloseWhen): Promise<boolean> {
    const ending = await this.refuseGrabs(activity, when);
    if (ending === undefined) return false;
    const refunded = await this.dataSource.transaction((tx) => this.refund(tx, activity.id, ending));
    await failpoint('close.after-commit');
    if (refunded) await this.tidyUpOrLeave(activity);
    return true;
  }
}

/** What the clock of Redis has to confirm. A manual close needs no clock. */
function conditionOf({ ending, isDue }: Intention, when: CloseWhen): CloseWhen {
  if (ending === 'cancelled') return 'before-opening';
  return isDue && when !== 'any-time' ? 'after-closing' : 'any-time';
}
