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
} from '../../../libs/redis-scripts';
import { windowOf } from '../activity';
import { ActivityNews } from './activity-news';
import { LoadingRepository } from './loading.repository';
import { type EndedActivity, TidyingRepository } from './tidying.repository';

/**
 * Removes activities that have ended from Redis, in two steps that Postgres remembers:
 *
 * 1. Tidied up, as soon as it has ended: the packets go, and Redis is told all claims. They can change no more, and Redis
 *    may have forgotten some; a winner must hear of their packet after the close as well.
 * 2. Forgotten, `ENDED_KEPT_SECONDS` after its end, tidied up or not: everything goes. From then on late taps are answered
 *    by Postgres (`ClaimLookup`).
 *
 * Both delete before they write. A Redis that is full refuses to write; it gets its memory back all the same, and the rest
 * is done when it is tried again.
 *
 * An advisory lock keeps the two steps of one activity apart: claims that are written after it was forgotten would stay.
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
   * Makes Redis hold of an activity what it should hold after its end, even when that was done before and Redis has lost
   * it, or has it back. Does nothing to one that has not ended, or that a newer version has loaded. Returns false when
   * somebody else is doing it.
   */
  tidyUp(id: string): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await lockForTidying(tx, id))) return false;
      if ((await this.standings.of(this.standings.keys.placeOf(id))).status === 'newer') return true;
      const activity = await this.tidyings.findEnded(tx, id);
      if (activity?.isOver) await this.forget(tx, activity);
      else if (activity) await this.tidy(tx, activity);
      return true;
    });
  }

  /** The same after a refund: the money is right already, and the sweeper takes care of a Redis that is away. */
  async tidyUpOrLeave(id: string): Promise<void> {
    await this.tidyUp(id).catch((error: unknown) =>
      this.logger.warn(`The sweeper will tidy up activity ${id}: ${String(error)}`),
    );
  }

  /** A server that is older than it looks may hold activities that it was made to forget: even open, with packets. */
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

  /** Returns how many each part has. */
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

  /** Events may be on a master that is away: then the sweeper tells it. */
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
