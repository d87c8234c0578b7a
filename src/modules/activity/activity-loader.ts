import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Dispenser } from '../../../libs/redis-scripts';
import { windowOf } from './activity';
import { ActivityRepository } from './activity.repository';

/** Rows of one query, and items of one Redis command: Lua cannot take many more arguments at once. */
const PAGE = 2_000;

/**
 * Brings an activity from Postgres into Redis: after its creation, and again whenever Redis has lost it.
 *
 * What is loaded is what Postgres knows: the claims, and the packets without one. `open` is written last, so that a grab
 * finds either nothing (and is asked to try again) or all of it. A load that was cut off goes on where it stopped.
 * Confirmations go on meanwhile: a packet that is claimed while it is on its way ends up in the list all the same, and
 * whoever draws it is sent to draw again by the unique constraint of `claim`.
 */
@Injectable()
export class ActivityLoader {
  private readonly logger = new Logger('ActivityLoader');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly dispenser: Dispenser,
  ) {}

  /** Loads an activity unless it is loaded, over, or in the hands of another loader. */
  async load(activityId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      if (await lockForLoading(tx, activityId)) await this.loadLocked(tx, activityId);
    });
  }

  private async loadLocked(tx: EntityManager, activityId: string): Promise<void> {
    const activity = await this.activities.find(activityId, tx);
    if (activity?.status !== 'active') return;
    const { status, packetCursor } = await this.dispenser.beginLoad(activityId, windowOf(activity));
    if (status !== 'loading') return;
    await this.loadClaims(tx, activityId);
    const end = await this.loadPackets(tx, activityId, packetCursor);
    const reached = await this.dispenser.open(activityId, end);
    this.logger.log(
      `Activity ${activityId}: loaded up to packet ${end}, now ${reached ?? 'gone again'} in Redis.`,
    );
  }

  private async loadClaims(tx: EntityManager, activityId: string): Promise<void> {
    let afterNo = 0;
    for (;;) {
      const claims = await this.activities.claims(tx, activityId, afterNo, PAGE);
      if (claims.length > 0) await this.dispenser.loadClaims(claims);
      if (claims.length < PAGE) return;
      afterNo = claims.at(-1)!.packet.no;
    }
  }

  /**
   * Returns the number of the last packet loaded. Ends early when Redis does not take a page, because the activity was
   * closed or lost meanwhile.
   */
  private async loadPackets(tx: EntityManager, activityId: string, packetCursor: number): Promise<number> {
    let cursor = packetCursor;
    for (;;) {
      const packets = await this.activities.unclaimedPackets(tx, activityId, cursor, PAGE);
      const last = packets.at(-1);
      if (!last) return cursor;
      cursor = await this.dispenser.loadPackets(activityId, cursor, packets);
      if (cursor !== last.no) return cursor;
    }
  }
}

/** Two loaders would only do the same work twice; the second one finds this lock taken and leaves. */
async function lockForLoading(tx: EntityManager, activityId: string): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }[]>(
    `select pg_try_advisory_xact_lock(hashtextextended('load:' || $1, 0)) as locked`,
    [activityId],
  );
  return row!.locked;
}
