import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Place, RainContents, Standings } from '../../../libs/redis-scripts';
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
    for (const place of this.standings.keys.placesOf({ id: activityId, parts }))
      await this.restoreUnlessOpen(place, whenTaken).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** The same for one place, of which packets can be in its own journal only. */
  async restoreAt(place: Place, whenTaken: WhenTaken = 'leave'): Promise<void> {
    await this.journal.drain(place);
    await this.loader.loadAt(place, whenTaken);
  }

  private async restoreWhole(activityId: string, whenTaken: WhenTaken): Promise<void> {
    await this.journal.drain(this.standings.keys.placeOf(activityId));
    await this.loader.load(activityId, whenTaken);
  }

  private async restoreUnlessOpen(place: Place, whenTaken: WhenTaken): Promise<void> {
    if ((await this.standings.of(place)).status !== 'open') await this.restoreAt(place, whenTaken);
  }

  /**
   * Loads a place from scratch whose packets in Redis do not add up. First it makes sure that nobody can draw any
   * more; then what was drawn before is decided, so that the load finds nothing under way.
   */
  async rebuild(place: Place): Promise<void> {
    await this.contents.forget(place);
    await this.restoreAt(place);
  }

  /** Redis is read first: what is added meanwhile is in Postgres before it is there. */
  async rebuildUnlessSound(place: Place): Promise<void> {
    const { status, birth, packetsLeft, held } = await this.standings.of(place);
    const activity = await this.activities.findActivity(place.id);
    if (status !== 'open' || activity?.status !== 'active') return;
    if (birth === activity.birth && packetsLeft + held === (await this.sizeOf(activity, place))) return;
    await this.rebuild(place);
  }

  /** Erases what is in a place, unless it is of this activity, which Postgres may not have. */
  async eraseOthers(place: Place, activity: Activity | undefined): Promise<void> {
    const { status, birth } = await this.standings.of(place);
    const isAnother = status !== undefined && birth !== activity?.birth;
    if (!activity || place.part >= activity.parts || isAnother) await this.contents.remove([place]);
  }

  private async sizeOf({ id, packetCount, parts }: Activity, { part }: Place): Promise<number> {
    return parts === 1 ? packetCount : (await this.toLoad.partSizes(id))[part]!;
  }
}
