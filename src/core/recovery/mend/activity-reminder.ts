import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type HeldPacket,
  type Place,
  type PlacedClaim,
  RainContents,
  RainLoading,
  Reservations,
  sentFrom,
  Standings,
} from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository, isNewer } from '../../activity';
import { ConfirmService, Journal, RESERVATIONS_PER_COMMIT_MAX } from '../../grab';
import { ActivityTidying } from '../tidy/activity-tidying';
import { ActivityLoader } from '../restore/activity-loader';
import { ActivityRebuilder } from '../restore/activity-rebuilder';
import { LoadingRepository } from '../record/loading.repository';

/**
 * Writes into one place of an activity in Redis: its claims, its users' claims elsewhere, and added
 * packets. Safe at any time.
 */
@Injectable()
export class ActivityReminder {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly reservations: Reservations,
    private readonly loading: RainLoading,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly confirmations: ConfirmService,
    private readonly journal: Journal,
    private readonly loader: ActivityLoader,
    private readonly rebuilder: ActivityRebuilder,
    private readonly tidying: ActivityTidying,
  ) {}

  async remind(place: Place): Promise<void> {
    const activity = await this.activities.findActivity(place.id);
    if (activity && place.part < activity.parts) await this.write(activity, place);
  }

  /**
   * Repairs a Redis that may also remember what Postgres has lost. First all packets that users
   * hold there are submitted to Postgres again: a win that is still possible becomes a claim, so
   * that its winner keeps the packet; the others are taken back. An activity unknown to Postgres is
   * erased.
   *
   * Redis does not remember how a winner was admitted, so where that may ask for a hold, all that
   * become claims here are held.
   */
  async resubmit(place: Place): Promise<void> {
    const activity = await this.activities.findActivity(place.id);
    await this.rebuilder.eraseOthers(place, activity);
    if (!activity || place.part >= activity.parts || isNewer(activity)) return;
    for await (const holders of this.contents.holders(place)) await this.confirm(activity, place, holders);
    await this.write(activity, place);
    if (activity.status === 'active') await this.rebuilder.rebuildUnlessSound(place);
  }

  private async confirm(
    { admission }: Activity,
    { id: activityId, shard }: Place,
    holders: readonly { userId: string; packet: HeldPacket }[],
  ): Promise<void> {
    const hold = admission !== 'open';
    for (let start = 0; start < holders.length; start += RESERVATIONS_PER_COMMIT_MAX) {
      const some = holders.slice(start, start + RESERVATIONS_PER_COMMIT_MAX);
      const reservations = some.map((holder) => ({ activityId, shard, hold, ...holder }));
      const left = await this.confirmations.confirmAll(reservations);
      if (left.length > 0) throw new Error('Somebody else keeps the activity locked.');
    }
  }

  private async write(activity: Activity, place: Place): Promise<void> {
    if (activity.status !== 'active') return this.tidyUp(activity.id);
    if (activity.parts > 1) await this.decideAll(activity);
    await this.writeClaims(activity, place);
    await this.loader.extend(activity.id);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Somebody else is tidying it up.');
  }

  /** Only packets that are in Postgres can be written to the other places. */
  private async decideAll(activity: Activity): Promise<void> {
    for (const place of this.standings.keys.placesOf(activity)) await this.journal.drain(place);
  }

  /** Leaves alone an undecided reservation, and an activity that a newer version has loaded. */
  private async writeClaims(activity: Activity, place: Place): Promise<void> {
    if ((await this.standings.readStanding(place)).status === 'newer') return;
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.toLoad.claims(tx, activity))
        await this.writePage(activity, place, claims);
    });
  }

  /**
   * Writes claims while users draw from the place. The way of a winner from any home may have led
   * through this place, which has forgotten it: each home learns where its users' packets lie.
   */
  private async writePage(
    activity: Activity,
    { part, shard }: Place,
    claims: readonly PlacedClaim[],
  ): Promise<void> {
    const own = claims.filter((claim) => claim.part === part);
    if (own.length > 0) await this.reservations.acknowledge(shard, own, []);
    const sent = sentFrom(claims, activity.parts);
    for (const home of this.standings.keys.placesOf(activity))
      await this.loading.loadShare(home, { own: [], elsewhere: sent[home.part]! });
  }
}
