import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../libs/failpoint';
import { type CloseWhen, Dispenser, type Ending } from '../../../libs/redis-scripts';
import { Journal } from '../grab';
import { LedgerRepository } from '../wallet';
import { type Activity, windowOf } from './activity';
import { closeUnavailable } from './activity.error';
import { ActivityNews } from './activity-news';
import { ActivityRepository } from './activity.repository';

/**
 * Ends an activity and gives the sponsor back what nobody took, in three steps whose order is what makes it right:
 *
 * 1. {@link refuseGrabs}: Redis refuses new grabs. Its clock alone says whether it is late (or early) enough. Then the
 *    journal is drained: whoever drew a packet before that moment is confirmed or refused, and not forgotten.
 * 2. {@link refund}: Postgres takes the activity's row against all confirmations, adds up what is left, refunds it and
 *    sets the status, in one transaction. The refund is keyed by the activity, so a second closer, or the same one
 *    after a crash, finds the status set and does nothing.
 * 3. {@link tidyUp}: Redis is told that it is over and all claims, and forgets the packets.
 *
 * A confirmation that comes between 1 and 2 still counts; one that comes after 2 is refused. Claims that are not yet
 * paid stay funded in the escrow. A closer that dies after step 1 has told Redis how the activity ends; the sweeper finds
 * it closed there and active here, and goes on.
 *
 * Step 1 must not run inside a transaction: draining confirms over connections of its own, and closers that held one
 * each would wait for each other's.
 */
@Injectable()
export class ActivityClosing {
  private readonly logger = new Logger('ActivityClosing');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly ledger: LedgerRepository,
    private readonly dispenser: Dispenser,
    private readonly journal: Journal,
    private readonly news: ActivityNews,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * How the activity ends, from now on; undefined when the clock of Redis does not allow it (see `CloseWhen`).
   *
   * @throws closeUnavailable when Redis, or Postgres for the drain, is away
   */
  async refuseGrabs(activity: Activity, when: CloseWhen): Promise<Ending | undefined> {
    if (activity.status !== 'active') return activity.status;
    try {
      const ending = await this.dispenser.close(activity.id, when, windowOf(activity));
      if (ending === undefined) return undefined;
      await failpoint('close.after-refuse');
      await this.journal.drain(activity.id);
      await failpoint('close.after-drain');
      return ending;
    } catch (cause) {
      throw closeUnavailable('Try again in a moment; no money has moved.', { retryAfterSeconds: 2, cause });
    }
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
    await this.activities.setClosed(tx, id, ending);
    this.logger.log(`Activity ${id} is ${ending}; ${remainder} minor units go back to the sponsor.`);
    return true;
  }

  /**
   * After the commit, and again whenever Redis may have lost the close or a closer died before this. Claims can change no
   * more; Redis is told all of them once, because it may have forgotten some, and a winner must hear of his packet after
   * the close as well. Packets of a closed activity are only memory.
   */
  async tidyUp(activity: Activity): Promise<void> {
    const { id } = activity;
    await this.dispenser.close(id, 'any-time', windowOf(activity));
    let claimCount = 0;
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.activities.claims(tx, id)) {
        await this.dispenser.loadClaims(claims);
        claimCount += claims.length;
      }
    });
    await this.dispenser.tidyUp(id, claimCount);
    await this.news.tellClosed(id);
  }

  /** The same for whoever has refunded: the money is right already, and a Redis that is away is the sweeper's business. */
  async tidyUpOrLeave(activity: Activity): Promise<void> {
    await this.tidyUp(activity).catch((error: unknown) =>
      this.logger.warn(`The sweeper will tidy up activity ${activity.id}: ${String(error)}`),
    );
  }

  /** All three steps, for whoever has no transaction of his own. Returns whether the activity has ended. */
  async close(activity: Activity, when: CloseWhen): Promise<boolean> {
    const ending = await this.refuseGrabs(activity, when);
    if (ending === undefined) return false;
    const refunded = await this.dataSource.transaction((tx) => this.refund(tx, activity.id, ending));
    await failpoint('close.after-commit');
    if (refunded) await this.tidyUpOrLeave(activity);
    return true;
  }
}
