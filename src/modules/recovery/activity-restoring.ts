import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RainContents, Standings } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { type Activity, ActivityRepository } from '../activity';
import { Journal, MissingActivities } from '../grab';
import { ActivityLoader, type WhenTaken } from './activity-loader';
import { loadSlots } from './load-slots';
import { LoadingRepository } from './loading.repository';

/** Loads again what Redis has lost, or what it holds wrongly. Safe at any time, and by several processes at once. */
@Injectable()
export class ActivityRestoring implements OnModuleInit {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly journal: Journal,
    private readonly loader: ActivityLoader,
    private readonly missing: MissingActivities,
    private readonly config: AppConfig,
  ) {}

  /** Clients ask for activities that Redis lacks. */
  onModuleInit(): void {
    this.missing.loadBy((activityId) => this.restore(activityId, 'wait'), loadSlots(this.config));
  }

  /**
   * Loads an activity that Redis does not know. It may be half rebuilt: what was drawn before is decided before it is
   * loaded. If it is being created at this moment and opens meanwhile, it stays as it is. Where it is dealt over several parts,
   * those that are open are left alone.
   */
  async restore(activityId: string, whenTaken: WhenTaken = 'leave'): Promise<void> {
    const [{ parts } = { parts: 1 }] = await this.activities.dealt([activityId]);
    if (parts === 1) return this.restoreWhole(activityId, whenTaken);
    const failures: unknown[] = [];
    for (let part = 0; part < parts; part++)
      await this.restoreUnlessOpen(activityId, part, whenTaken).catch((error: unknown) =>
        failures.push(error),
      );
    if (failures.length > 0) throw failures[0];
  }

  /** The same for one part, of which packets can be in its own journal only. */
  async restorePart(activityId: string, part: number, whenTaken: WhenTaken = 'leave'): Promise<void> {
    await this.journal.drain(activityId, part);
    await this.loader.loadPart(activityId, part, whenTaken);
  }

  private async restoreWhole(activityId: string, whenTaken: WhenTaken): Promise<void> {
    await this.journal.drain(activityId);
    await this.loader.load(activityId, whenTaken);
  }

  private async restoreUnlessOpen(activityId: string, part: number, whenTaken: WhenTaken): Promise<void> {
    if ((await this.standings.of(activityId, part)).status !== 'open')
      await this.restorePart(activityId, part, whenTaken);
  }

  /**
   * Loads a part from scratch whose packets in Redis do not add up. First it makes sure that nobody can draw any
   * more; then what was drawn before is decided, so that the load finds nothing under way.
   */
  async rebuild(activityId: string, part = 0): Promise<void> {
    await this.contents.forget(activityId, part);
    await this.restorePart(activityId, part);
  }

  /** Redis is read first: what is added meanwhile is in Postgres before it is there. */
  async rebuildUnlessSound(activityId: string, part = 0): Promise<void> {
    const { status, birth, packetsLeft, held } = await this.standings.of(activityId, part);
    const activity = await this.activities.findActivity(activityId);
    if (status !== 'open' || activity?.status !== 'active') return;
    if (birth === activity.birth && packetsLeft + held === (await this.sizeOf(activity, part))) return;
    await this.rebuild(activityId, part);
  }

  /**
   * Erases what a shard holds under this id, unless it is a part of the activity that was born so; `birth` is undefined for
   * none.
   */
  async eraseOthers(activityId: string, birth: string | undefined, part = 0, parts = 1): Promise<void> {
    const standing = await this.standings.of(activityId, part);
    const isAnother = standing.status !== undefined && standing.birth !== birth;
    const shard = this.standings.keys.shardOf(activityId, part);
    if (birth === undefined || part >= parts || isAnother)
      await this.contents.remove([{ id: activityId, shard }]);
  }

  private async sizeOf({ id, packetCount, parts }: Activity, part: number): Promise<number> {
    return parts === 1 ? packetCount : (await this.toLoad.partSizes(id))[part]!;
  }
}
