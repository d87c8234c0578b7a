import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { failpoint } from '../../../../libs/failpoint';
import {
  type Dealt,
  type Place,
  RainContents,
  RainLoading,
  shareOf,
  Standings,
} from '../../../../libs/redis-scripts';
import { AppConfig } from '../../../platform/config';
import { isHeldUp } from '../../../platform/postgres';
import { type Activity, ActivityRepository, isNewer, windowOf } from '../../activity';
import { Journal, MissingActivities } from '../../grab';
import { ActivityTidying } from '../tidy/activity-tidying';
import { loadSlots } from './load-slots';
import { LoadingRepository } from '../record/loading.repository';

/** Small, because users draw while an open activity is extended. */
const PACKETS_PER_EXTENSION = 500;

/**
 * If another loader is at work on the activity, this one leaves, because nothing is left to do, or waits as long as
 * for any other lock, because a user waits for the activity.
 */
export type WhenTaken = 'leave' | 'wait';

/**
 * Loads an activity from Postgres into Redis: after its creation, when Redis lacks it, and when
 * packets were added. Safe at any time, and by several processes at once.
 *
 * It loads the claims, and the packets without one. `open` is written last, so that a grab finds
 * either nothing (and is asked to try again) or all of it. A load that was cut off continues where it
 * stopped. Packets that are added later are loaded after that.
 *
 * Confirmations continue meanwhile: a packet that is claimed while it is on its way still ends up in
 * the list, and the unique constraint of `claim` makes the user who draws it draw again.
 *
 * Each place of an activity is loaded by itself, and opens when it is complete.
 */
@Injectable()
export class ActivityLoader implements OnModuleInit {
  private readonly logger = new Logger('ActivityLoader');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly loading: RainLoading,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly tidying: ActivityTidying,
    private readonly journal: Journal,
    private readonly missing: MissingActivities,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.missing.loadBy((activityId) => this.load(activityId, 'wait'), loadSlots(this.config));
  }

  /** No packet of an activity that was just created can have been drawn. */
  async loadNew(activityId: string): Promise<void> {
    await this.loadEach(activityId, (place) => this.bring(place, 'wait'));
  }

  /**
   * Loads an activity where Redis lacks it. It may be half rebuilt, so its journal is decided
   * first. A place that is open only receives the added packets.
   */
  async load(activityId: string, whenTaken: WhenTaken = 'leave'): Promise<void> {
    await this.loadEach(activityId, async (place, activity) => {
      const { status, birth, parts = 1 } = await this.standings.readStanding(place);
      const isThis = birth === activity.birth && parts === activity.parts;
      if (status === 'open' && isThis) await this.extendAt(place);
      else await this.bringDecided(place, whenTaken);
    });
  }

  /** Loads one place, even if it holds another activity. */
  async loadAt(place: Place): Promise<void> {
    await this.bringDecided(place, 'leave');
    await this.tidyUpIfEnded(place.id);
  }

  /**
   * Loads each place, even if others fail.
   * @throws the first failure
   */
  private async loadEach(
    id: string,
    work: (place: Place, activity: Activity) => Promise<void>,
  ): Promise<void> {
    const activity = await this.activities.findActivity(id);
    const failures: unknown[] = [];
    for (const place of activity ? this.standings.keys.placesOf(activity) : [])
      await work(place, activity!).catch((error: unknown) => failures.push(error));
    await this.tidyUpIfEnded(id);
    if (failures.length > 0) throw failures[0];
  }

  /** A close may have tidied up before the activity opened. */
  private async tidyUpIfEnded(id: string): Promise<void> {
    const activity = await this.activities.findActivity(id);
    if (activity && activity.status !== 'active') await this.tidying.tidyUp(id);
  }

  /** The packets of a place can be in no other journal. */
  private async bringDecided(place: Place, whenTaken: WhenTaken): Promise<void> {
    await this.journal.drain(place);
    await this.bring(place, whenTaken);
  }

  private async bring(place: Place, whenTaken: WhenTaken): Promise<void> {
    await this.alone(place, (tx) => this.loadLocked(tx, place), whenTaken);
    await this.extendAt(place);
  }

  /**
   * Announces that a transaction is about to give the activity this number of packets. Until they
   * are loaded, Redis answers no user "sold out". If the process dies after its commit, the next
   * tap in doubt has them loaded.
   */
  async announce(activity: Dealt, packetCount: number): Promise<void> {
    const places = this.standings.keys.placesOf(activity);
    await Promise.all(places.map((place) => this.loading.announce(place, packetCount)));
  }

  /** Loads added packets into the places that are open in Redis. */
  async extend(id: string): Promise<void> {
    const parts = await this.extendAt(this.standings.keys.placeOf(id));
    for (const place of this.othersOf({ id, parts })) await this.extendAt(place);
  }

  /** Lets the places that hold the activity know that its window ends later. */
  async prolong(activityId: string): Promise<void> {
    await this.loadEach(activityId, async (place, { birth }) => {
      const standing = await this.standings.readStanding(place);
      if (standing.status !== undefined && standing.birth === birth) await this.bring(place, 'wait');
    });
  }

  /** All places but the first. */
  private othersOf(activity: Dealt): Place[] {
    return this.standings.keys.placesOf(activity).slice(1);
  }

  /**
   * Loads the added packets of an open place; its loader or the sweeper takes care of any other. Returns the
   * number of parts according to Redis.
   *
   * The loader that held the lock checks once more after it releases it: an addition that came meanwhile
   * found the lock taken, and left.
   */
  private async extendAt(place: Place): Promise<number> {
    for (;;) {
      const { status, packetCursor, isAwaiting, parts = 1 } = await this.standings.readStanding(place);
      if (status !== 'open') return parts;
      if (!(await this.isBehind(place.id, packetCursor))) {
        if (isAwaiting) await this.retract(place);
        return parts;
      }
      const extended = await this.alone(place, (tx) => this.extendLocked(tx, place));
      if (!extended) return parts;
    }
  }

  /** Ends the wait for packets of a transaction that failed, but not of one that is under way. */
  private async retract(place: Place): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      if (!(await this.toLoad.keepAdditionsAway(tx, place.id))) return;
      const activity = await this.activities.findActivity(place.id, tx);
      if (activity) await this.loading.announce(place, activity.packetCount);
    });
  }

  /**
   * Removes another activity of the same id, which Postgres has lost, before a new one is created:
   * from the commit on, no user may draw from it. If Redis is down, its worker sets it right before
   * it is believed.
   */
  async eraseLeftovers(activity: Dealt): Promise<void> {
    try {
      for (const place of this.standings.keys.placesOf(activity)) {
        const { status } = await this.standings.readStanding(place);
        if (status !== undefined) await this.contents.remove([place]);
      }
    } catch (error) {
      this.logger.warn(`Activity ${activity.id}: leftovers in Redis were not looked for: ${String(error)}`);
    }
  }

  /** Undefined if another loader is at work, and this one leaves, or has waited in vain. */
  private alone<T>(
    place: Place,
    work: (tx: EntityManager) => Promise<T>,
    whenTaken: WhenTaken = 'leave',
  ): Promise<T | undefined> {
    const loaded = this.dataSource.transaction(async (tx) =>
      (await lockForLoading(tx, place, whenTaken)) ? work(tx) : undefined,
    );
    return loaded.catch((error: unknown) => {
      if (!(error instanceof LoadsLong)) throw error;
      return undefined;
    });
  }

  private async loadLocked(tx: EntityManager, place: Place): Promise<void> {
    const activity = await this.activities.findActivity(place.id, tx);
    if (activity?.status !== 'active' || activity.ending !== null || isNewer(activity)) return;
    const { status, packetCursor } = await this.loading.begin(place, windowOf(activity));
    if (status !== 'loading') return;
    await failpoint('load.after-begin');
    await this.loadClaims(tx, activity, place);
    const end = await this.loadPackets(tx, place, activity.parts, packetCursor);
    await failpoint('load.before-open');
    if (!(await this.announceAdditions(tx, place))) return;
    const reached = await this.loading.open(place, end);
    this.logger.log(
      `${nameOf(place, activity.parts)}: loaded up to packet ${end}, now ${reached ?? 'gone again'} in Redis.`,
    );
  }

  /**
   * Announces the packets that an addition has committed since they were read, or is about to: it may have
   * announced them to a Redis that did not hold this place. Returns false if the activity has ended. A later
   * decision to end it reaches a Redis that holds the activity; a Redis that has lost it meanwhile opens
   * nothing.
   */
  private async announceAdditions(tx: EntityManager, place: Place): Promise<boolean> {
    const noneUnderWay = await this.toLoad.keepAdditionsAway(tx, place.id);
    const activity = await this.activities.findActivity(place.id, tx);
    if (activity?.status !== 'active' || activity.ending !== null) return false;
    await this.loading.announce(place, activity.packetCount + (noneUnderWay ? 0 : 1));
    return true;
  }

  private async loadClaims(tx: EntityManager, activity: Dealt, place: Place): Promise<void> {
    for await (const claims of this.toLoad.claims(tx, activity))
      await this.loading.loadShare(place, shareOf(claims, place, activity.parts));
  }

  /**
   * Returns the number of the last packet that should be loaded now. Ends early if Redis does not
   * take a page, because the activity was closed or lost meanwhile: then nothing opens.
   */
  private async loadPackets(
    tx: EntityManager,
    place: Place,
    parts: number,
    packetCursor: number,
  ): Promise<number> {
    let cursor = packetCursor;
    for await (const page of this.toLoad.unclaimedPackets(tx, place, parts, packetCursor)) {
      const reached = await this.loading.loadPackets(place, cursor, page);
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
  private async extendLocked(tx: EntityManager, place: Place): Promise<boolean> {
    const { packetCursor, parts = 1 } = await this.standings.readStanding(place);
    let cursor = packetCursor;
    const pages = this.toLoad.unclaimedPackets(tx, place, parts, packetCursor, PACKETS_PER_EXTENSION);
    for await (const page of pages) {
      if ((await this.loading.extend(place, cursor, page)) !== page.lastNo) break;
      cursor = page.lastNo;
    }
    return cursor > packetCursor;
  }
}

const nameOf = ({ id, part }: Place, parts: number): string =>
  parts === 1 ? `Activity ${id}` : `Activity ${id}, part ${part} of ${parts}`;

const LOCKS: Readonly<Record<WhenTaken, string>> = {
  leave: `select pg_try_advisory_xact_lock(hashtextextended('load:' || $1, 0)) as locked`,
  wait: `select true as locked from pg_advisory_xact_lock(hashtextextended('load:' || $1, 0))`,
};

/** Another loader is still at work, and will do the rest. */
class LoadsLong extends Error {}

/**
 * Two loaders at once would only do the same work twice.
 * @throws LoadsLong
 */
async function lockForLoading(
  tx: EntityManager,
  { id, part }: Place,
  whenTaken: WhenTaken,
): Promise<boolean> {
  const name = part === 0 ? id : `${id}/${part}`;
  try {
    const [row] = await tx.query<{ locked: boolean }[]>(LOCKS[whenTaken], [name]);
    return row!.locked;
  } catch (cause) {
    throw isHeldUp(cause) ? new LoadsLong('Another loader takes long.', { cause }) : cause;
  }
}
