import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  type Place,
  RainClosing,
  RainContents,
  RainLoading,
  shareOf,
  Standings,
} from '../../../../libs/redis-scripts';
import { windowOf } from '../../activity';
import { ActivityNews } from './activity-news';
import { LoadingRepository } from '../record/loading.repository';
import { type EndedActivity, TidyingRepository } from '../record/tidying.repository';

/**
 * Removes activities that have ended from Redis, in two steps that Postgres remembers:
 *
 * 1. Tidied up, as soon as it has ended: the packets are deleted, and Redis receives all claims, of which it
 *    may have forgotten some: winners are answered with their packets after the close as well.
 * 2. Forgotten, `ENDED_KEPT_SECONDS` after its end, tidied up or not: everything is deleted. From
 *   then on Postgres answers late taps (`ClaimLookup`).
 *
 * Both delete before they write: a full Redis refuses to write, but gets its memory back. An
 * advisory lock keeps the two steps of one activity apart: claims written after it was forgotten
 * would stay.
 */
@Injectable()
export class ActivityTidying {
  private readonly logger = new Logger('ActivityTidying');

  constructor(
    private readonly tidyings: TidyingRepository,
    private readonly toLoad: LoadingRepository,
    private readonly loading: RainLoading,
    private readonly closing: RainClosing,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly news: ActivityNews,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Brings an ended activity in Redis to the state that it should have, even if that was done
   * before and Redis has lost it, or has the activity back. Ignores an activity that has not ended, or
   * that a newer version has loaded. Returns false if another process is doing it.
   */
  tidyUp(id: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await lockForTidying(tx, id))) return false;
      if ((await this.standings.readStanding(this.standings.keys.placeOf(id))).status === 'newer')
        return true;
      const activity = await this.tidyings.findEnded(tx, id);
      if (activity?.isOver) await this.forget(tx, activity);
      else if (activity) await this.tidy(tx, activity);
      return true;
    });
  }

  /** After a refund the money is right already: if Redis is down, the sweeper tidies up. */
  async tidyUpOrLeave(id: string): Promise<void> {
    await this.tidyUp(id).catch((error: unknown) =>
      this.logger.warn(`The sweeper will tidy up activity ${id}: ${String(error)}`),
    );
  }

  /** A server that has gone back in time may hold forgotten activities again, even open. */
  async removeForgotten(shards: readonly number[]): Promise<void> {
    for await (const places of this.contents.places(shards)) {
      const forgotten = new Set(await this.tidyings.forgottenAmong(places.map(({ id }) => id)));
      await this.contents.remove(places.filter(({ id }) => forgotten.has(id)));
    }
  }

  private async tidy(tx: EntityManager, activity: EndedActivity): Promise<void> {
    const { id } = activity;
    const places = this.standings.keys.placesOf(activity);
    for (const place of places) {
      await this.closing.discardPackets(place);
      await this.closing.close(place, 'any-time', windowOf(activity));
    }
    const claimCounts = await this.writeClaims(tx, activity, places);
    for (const place of places) await this.closing.tidyUp(place, claimCounts[place.part]!);
    await this.tellClosedOrLeave(id);
    await this.tidyings.setTidied(tx, id);
  }

  /** Returns the number of claims of each part. */
  private async writeClaims(
    tx: EntityManager,
    activity: EndedActivity,
    places: readonly Place[],
  ): Promise<number[]> {
    const counts = places.map(() => 0);
    for await (const claims of this.toLoad.claims(tx, activity)) {
      for (const place of places) {
        const share = shareOf(claims, place, activity.parts);
        await this.loading.loadShare(place, share);
        counts[place.part]! += share.own.length;
      }
    }
    return counts;
  }

  private async forget(tx: EntityManager, activity: EndedActivity): Promise<void> {
    const { id } = activity;
    await this.contents.remove(this.standings.keys.placesOf(activity));
    if (!activity.isTidied) await this.tellClosedOrLeave(id);
    await this.tidyings.setForgotten(tx, id);
  }

  /** Events may be on a master that is down: then the sweeper publishes the end. */
  private async tellClosedOrLeave(id: string): Promise<void> {
    await this.news
      .tellClosed(id)
      .catch((error: unknown) => this.logger.warn(`The end of activity ${id} is not told: ${String(error)}`));
  }
}

async function lockForTidying(tx: EntityManager, activityId: string): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }[]>(
    `select pg_try_advisory_xact_lock(hashtextextended('tidy:' || $1, 0)) as locked`,
    [activityId],
  );
  return row!.locked;
}
