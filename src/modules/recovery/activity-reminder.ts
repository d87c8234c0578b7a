import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type HeldPacket,
  type PartShare,
  RainContents,
  RainLoading,
  Reservations,
  shareOf,
  Standings,
} from '../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../activity';
import { ConfirmService, Journal, RESERVATIONS_PER_COMMIT_MAX } from '../grab';
import { ActivityTidying } from './activity-tidying';
import { ActivityLoader } from './activity-loader';
import { ActivityRestoring } from './activity-restoring';
import { LoadingRepository } from './loading.repository';

/**
 * Reminds Redis of one part of an activity: of its claims, of its users' claims elsewhere, and of packets that were added. Safe
 * at any time.
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
    private readonly restoring: ActivityRestoring,
    private readonly tidying: ActivityTidying,
  ) {}

  /** Writes what Redis may have forgotten. */
  async remind(id: string, part = 0): Promise<void> {
    const activity = await this.activities.findActivity(id);
    if (activity && part < activity.parts) await this.write(activity, part);
  }

  /**
   * For a Redis that may also remember what Postgres has lost. Everything that users hold there is submitted to Postgres
   * again first: a win that is still possible becomes a claim again, so that its winner keeps what they were told; the rest is
   * taken back. An activity that Postgres does not have is erased.
   */
  async resubmit(id: string, part = 0): Promise<void> {
    const activity = await this.activities.findActivity(id);
    await this.restoring.eraseOthers(id, activity?.birth, part, activity?.parts);
    if (!activity || part >= activity.parts) return;
    for await (const holders of this.contents.holders(id, part)) await this.confirm(activity, part, holders);
    await this.write(activity, part);
    if (activity.status === 'active') await this.restoring.rebuildUnlessSound(id, part);
  }

  private async confirm(
    { id: activityId, parts }: Activity,
    part: number,
    holders: readonly { userId: string; packet: HeldPacket }[],
  ): Promise<void> {
    const where = parts === 1 ? { activityId } : { activityId, part };
    for (let start = 0; start < holders.length; start += RESERVATIONS_PER_COMMIT_MAX) {
      const some = holders.slice(start, start + RESERVATIONS_PER_COMMIT_MAX);
      const left = await this.confirmations.confirmAll(some.map((holder) => ({ ...where, ...holder })));
      if (left.length > 0) throw new Error('Somebody else keeps the activity locked.');
    }
  }

  private async write(activity: Activity, part: number): Promise<void> {
    if (activity.status !== 'active') return this.tidyUp(activity.id);
    if (activity.parts > 1) await this.decideAll(activity);
    await this.writeClaims(activity, part);
    await this.loader.extend(activity.id);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Somebody else is tidying it up.');
  }

  /** What users have drawn elsewhere is known here when it is in Postgres. */
  private async decideAll({ id, parts }: Activity): Promise<void> {
    for (let part = 0; part < parts; part++) await this.journal.drain(id, part);
  }

  /** A reservation that is still undecided is left alone, and so is an activity that a newer version has loaded. */
  private async writeClaims({ id, parts }: Activity, part: number): Promise<void> {
    if ((await this.standings.of(id, part)).status === 'newer') return;
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.toLoad.claims(tx, id, parts))
        await this.writeShare(id, part, shareOf(claims, part, parts));
    });
  }

  /** Users draw from the part meanwhile. */
  private async writeShare(id: string, part: number, { own, away }: PartShare): Promise<void> {
    const shard = this.reservations.keys.shardOf(id, part);
    if (own.length > 0) await this.reservations.acknowledge(shard, own, []);
    if (away.length > 0) await this.loading.loadShare(id, { own: [], away }, part);
  }
}
