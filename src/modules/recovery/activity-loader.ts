import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../libs/failpoint';
import { type Dealt, RainContents, RainLoading, shareOf, Standings } from '../../../libs/redis-scripts';
import { type Activity, ActivityRepository, windowOf } from '../activity';
import { isHeldUp } from '../../platform/postgres';
import { ActivityTidying } from './activity-tidying';
import { LoadingRepository } from './loading.repository';

/** Small, because users draw while an open activity is extended. */
const PACKETS_PER_EXTENSION = 500;

/**
 * What a loader does that finds another one at work on the same activity: it leaves, because there is nothing to do for it, or it
 * waits for the other one, as long as for any lock, because somebody waits for the activity.
 */
export type WhenTaken = 'leave' | 'wait';

/**
 * Brings an activity from Postgres into Redis: after its creation, and again when Redis has lost it (`ActivityRestoring`).
 *
 * What is loaded is what Postgres knows: the claims, and the packets without one. `open` is written last, so that a grab
 * finds either nothing (and is asked to try again) or all of it. A load that was cut off goes on where it stopped.
 * What is added to it later is loaded after that.
 *
 * Confirmations go on meanwhile: a packet that is claimed while it is on its way ends up in the list all the same, and
 * the unique constraint of `claim` makes the user who draws it draw again.
 *
 * Each part of an activity is loaded by itself, and opens when it is there: who comes to one that is not waits.
 */
@Injectable()
export class ActivityLoader {
  private readonly logger = new Logger('ActivityLoader');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly loading: RainLoading,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly tidying: ActivityTidying,
  ) {}

  /**
   * Loads an activity unless it is loaded or over; `whenTaken` says what becomes of one that another loader loads. A close that came meanwhile may have
   * tidied up before the last step of this: then it tidies up again.
   */
  async load(activityId: string, whenTaken: WhenTaken = 'leave'): Promise<void> {
    await this.bring(activityId, 0, whenTaken);
    const activity = await this.activities.findActivity(activityId);
    for (let part = 1; part < (activity?.parts ?? 1); part++) await this.bring(activityId, part, whenTaken);
    if (activity && activity.status !== 'active') await this.tidying.tidyUp(activityId);
  }

  /** The same for one part. */
  async loadPart(activityId: string, part: number, whenTaken: WhenTaken = 'leave'): Promise<void> {
    await this.bring(activityId, part, whenTaken);
    const activity = await this.activities.findActivity(activityId);
    if (activity && activity.status !== 'active') await this.tidying.tidyUp(activityId);
  }

  private async bring(activityId: string, part: number, whenTaken: WhenTaken): Promise<void> {
    await this.alone(activityId, part, (tx) => this.loadLocked(tx, activityId, part), whenTaken);
    await this.extendPart(activityId, part);
  }

  /** Loads what was added to an activity, into the parts that are open in Redis. */
  async extend(activityId: string): Promise<void> {
    const parts = await this.extendPart(activityId, 0);
    for (let part = 1; part < parts; part++) await this.extendPart(activityId, part);
  }

  /**
   * Its loader or the sweeper takes care of a part that is not open. Returns over how many parts Redis believes the activity
   * to be dealt.
   *
   * The loader that held the lock checks once more after it releases it: an addition that came meanwhile found it
   * taken, and left.
   */
  private async extendPart(activityId: string, part: number): Promise<number> {
    for (;;) {
      const { status, packetCursor, parts = 1 } = await this.standings.of(activityId, part);
      if (status !== 'open' || !(await this.isBehind(activityId, packetCursor))) return parts;
      const extended = await this.alone(activityId, part, (tx) => this.extendLocked(tx, activityId, part));
      if (!extended) return parts;
    }
  }

  /**
   * For an activity that is just being created: Redis may know another one of the same id, which Postgres has lost. From
   * the commit on, nobody may draw from that. A Redis that is away is set right by its worker, before it is believed.
   */
  async eraseLeftovers({ id, parts }: Dealt): Promise<void> {
    const { keys } = this.standings;
    try {
      for (const shard of keys.shardsOf(id, parts)) {
        const { status } = await this.standings.of(id, keys.partIn(id, shard));
        if (status !== undefined) await this.contents.remove([{ id, shard }]);
      }
    } catch (error) {
      this.logger.warn(`Activity ${id}: leftovers in Redis were not looked for: ${String(error)}`);
    }
  }

  /** Undefined when another loader is at work, and this one leaves, or has waited in vain. */
  private alone<T>(
    activityId: string,
    part: number,
    work: (tx: EntityManager) => Promise<T>,
    whenTaken: WhenTaken = 'leave',
  ): Promise<T | undefined> {
    const loaded = this.dataSource.transaction(async (tx) =>
      (await lockForLoading(tx, activityId, part, whenTaken)) ? work(tx) : undefined,
    );
    return loaded.catch((error: unknown) => {
      if (!(error instanceof LoadsLong)) throw error;
      return undefined;
    });
  }

  private async loadLocked(tx: EntityManager, activityId: string, part: number): Promise<void> {
    const activity = await this.activities.findActivity(activityId, tx);
    if (activity?.status !== 'active' || activity.ending !== null) return;
    const { status, packetCursor } = await this.loading.begin(activityId, windowOf(activity), part);
    if (status !== 'loading') return;
    await failpoint('load.after-begin');
    await this.loadClaims(tx, activity, part);
    const end = await this.loadPackets(tx, activity, part, packetCursor);
    await failpoint('load.before-open');
    // A decision to end it after this reaches a Redis that holds it; one that has lost it meanwhile opens nothing.
    if (!(await this.toLoad.goesOn(tx, activityId))) return;
    const reached = await this.loading.open(activityId, end, part);
    this.logger.log(
      `${nameOf(activity, part)}: loaded up to packet ${end}, now ${reached ?? 'gone again'} in Redis.`,
    );
  }

  /** With a note of whose home this part is, and who has claims of other parts. */
  private async loadClaims(tx: EntityManager, { id, parts }: Activity, part: number): Promise<void> {
    for await (const claims of this.toLoad.claims(tx, id, parts))
      await this.loading.loadShare(id, shareOf(claims, part, parts), part);
  }

  /**
   * Returns the number of the last packet that should be loaded now. Ends early when Redis does not take a page, because
   * the activity was closed or lost meanwhile: then the cursor is not there, and nothing opens.
   */
  private async loadPackets(
    tx: EntityManager,
    { id, parts }: Activity,
    part: number,
    packetCursor: number,
  ): Promise<number> {
    let cursor = packetCursor;
    const pages = this.toLoad.unclaimedPackets(tx, id, packetCursor, undefined, { part, parts });
    for await (const page of pages) {
      const reached = await this.loading.loadPackets(id, cursor, page, part);
      cursor = page.lastNo;
      if (reached !== cursor) break;
      await failpoint('load.between-pages');
    }
    return cursor;
  }

  private async isBehind(activityId: string, packetCursor: number): Promise<boolean> {
    const activity = await this.activities.findActivity(activityId);
    return activity?.status === 'active' && activity.ending === null && packetCursor < activity.packetCount;
  }

  /** Returns whether Redis took anything. */
  private async extendLocked(tx: EntityManager, activityId: string, part: number): Promise<boolean> {
    const { packetCursor, parts = 1 } = await this.standings.of(activityId, part);
    let cursor = packetCursor;
    const pages = this.toLoad.unclaimedPackets(tx, activityId, packetCursor, PACKETS_PER_EXTENSION, {
      part,
      parts,
    });
    for await (const page of pages) {
      if ((await this.loading.extend(activityId, cursor, page, part)) !== page.lastNo) break;
      cursor = page.lastNo;
    }
    return cursor > packetCursor;
  }
}

const nameOf = ({ id, parts }: Activity, part: number): string =>
  parts === 1 ? `Activity ${id}` : `Activity ${id}, part ${part} of ${parts}`;

const LOCKS: Readonly<Record<WhenTaken, string>> = {
  leave: `select pg_try_advisory_xact_lock(hashtextextended('load:' || $1, 0)) as locked`,
  wait: `select true as locked from pg_advisory_xact_lock(hashtextextended('load:' || $1, 0))`,
};

/** Another loader has been waited for in vain. What is left to do is its own business. */
class LoadsLong extends Error {}

/**
 * Two loaders at once would only do the same work twice.
 *
 * @throws LoadsLong
 */
async function lockForLoading(
  tx: EntityManager,
  activityId: string,
  part: number,
  whenTaken: WhenTaken,
): Promise<boolean> {
  const name = part === 0 ? activityId : `${activityId}/${part}`;
  try {
    const [row] = await tx.query<{ locked: boolean }[]>(LOCKS[whenTaken], [name]);
    return row!.locked;
  } catch (cause) {
    throw isHeldUp(cause) ? new LoadsLong('Another loader takes long.', { cause }) : cause;
  }
}
