import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import { RainContents, RainLoading, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository, windowOf } from '../../activity';
import { ActivityTidying } from '../tidy/activity-tidying';

/** Small, because users draw while an open activity is extended. */
const PACKETS_PER_EXTENSION = 500;

/**
 * Brings an activity from Postgres into Redis: after its creation, and again when Redis has lost it (`ActivityRestoring`).
 *
 * What is loaded is what Postgres knows: the claims, and the packets without one. `open` is written last, so that a grab
 * finds either nothing (and is asked to try again) or all of it. A load that was cut off goes on where it stopped.
 * What is added to it later is loaded after that.
 *
 * Confirmations go on meanwhile: a packet that is claimed while it is on its way ends up in the list all the same, and
 * the unique constraint of `claim` makes the user who draws it draw again.
 */
@Injectable()
export class ActivityLoader {
  private readonly logger = new Logger('ActivityLoader');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly loading: RainLoading,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly tidying: ActivityTidying,
  ) {}

  /**
   * Loads an activity unless it is loaded, over, or being loaded by another loader. A close that came meanwhile may have
   * tidied up before the last step of this: then it tidies up again.
   */
  async load(activityId: string): Promise<void> {
    await this.alone(activityId, (tx) => this.loadLocked(tx, activityId));
    await this.extend(activityId);
    const activity = await this.activities.find(activityId);
    if (activity && activity.status !== 'active') await this.tidying.tidyUp(activityId);
  }

  /**
   * Loads what was added to an activity that is open in Redis. Its loader or the sweeper takes care of one that is not.
   *
   * The loader that held the lock checks once more after it releases it: an addition that came meanwhile found it
   * taken, and left.
   */
  async extend(activityId: string): Promise<void> {
    while (await this.isBehind(activityId)) {
      const extended = await this.alone(activityId, (tx) => this.extendLocked(tx, activityId));
      if (!extended) return;
    }
  }

  /**
   * For an activity that is just being created: Redis may know another one of the same id, which Postgres has lost. From
   * the commit on, nobody may draw from that. A Redis that is away is set right by its worker, before it is believed.
   */
  async eraseLeftovers(activityId: string): Promise<void> {
    try {
      const { status } = await this.standings.of(activityId);
      if (status !== undefined) await this.contents.remove([activityId]);
    } catch (error) {
      this.logger.warn(`Activity ${activityId}: leftovers in Redis were not looked for: ${String(error)}`);
    }
  }

  /** Undefined when another loader is at work. */
  private alone<T>(activityId: string, work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.dataSource.transaction(async (tx) =>
      (await lockForLoading(tx, activityId)) ? work(tx) : undefined,
    );
  }

  private async loadLocked(tx: EntityManager, activityId: string): Promise<void> {
    const activity = await this.activities.find(activityId, tx);
    if (activity?.status !== 'active' || activity.ending !== null) return;
    const { status, packetCursor } = await this.loading.begin(activityId, windowOf(activity));
    if (status !== 'loading') return;
    await failpoint('load.after-begin');
    await this.loadClaims(tx, activityId);
    const end = await this.loadPackets(tx, activityId, packetCursor);
    await failpoint('load.before-open');
    // A decision to end it after this reaches a Redis that holds it; one that has lost it meanwhile opens nothing.
    if (!(await this.activities.goesOn(tx, activityId))) return;
    const reached = await this.loading.open(activityId, end);
    this.logger.log(
      `Activity ${activityId}: loaded up to packet ${end}, now ${reached ?? 'gone again'} in Redis.`,
    );
  }

  private async loadClaims(tx: EntityManager, activityId: string): Promise<void> {
    for await (const claims of this.activities.claims(tx, activityId)) await this.loading.loadClaims(claims);
  }

  /**
   * Returns the number of the last packet that should be loaded now. Ends early when Redis does not take a page, because
   * the activity was closed or lost meanwhile: then the cursor is not there, and nothing opens.
   */
  private async loadPackets(tx: EntityManager, activityId: string, packetCursor: number): Promise<number> {
    let cursor = packetCursor;
    for await (const page of this.activities.unclaimedPackets(tx, activityId, packetCursor)) {
      const reached = await this.loading.loadPackets(activityId, cursor, page);
      cursor = page.lastNo;
      if (reached !== cursor) break;
      await failpoint('load.between-pages');
    }
    return cursor;
  }

  private async isBehind(activityId: string): Promise<boolean> {
    const { status, packetCursor } = await this.standings.of(activityId);
    if (status !== 'open') return false;
    const activity = await this.activities.find(activityId);
    return activity?.status === 'active' && activity.ending === null && packetCursor < activity.packetCount;
  }

  /** Returns whether Redis took anything. */
  private async extendLocked(tx: EntityManager, activityId: string): Promise<boolean> {
    const { packetCursor } = await this.standings.of(activityId);
    let cursor = packetCursor;
    const pages = this.activities.unclaimedPackets(tx, activityId, packetCursor, PACKETS_PER_EXTENSION);
    for await (const page of pages) {
      if ((await this.loading.extend(activityId, cursor, page)) !== page.lastNo) break;
      cursor = page.lastNo;
    }
    return cursor > packetCursor;
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
