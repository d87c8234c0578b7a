import { Injectable } from '@nestjs/common';
import { RainContents, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository } from '../../activity';
import { Journal } from '../../grab';
import { ActivityLoader } from './activity-loader';

/** Loads again what Redis has lost, or what it holds wrongly. Safe at any time, and by several processes at once. */
@Injectable()
export class ActivityRestoring {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly journal: Journal,
    private readonly loader: ActivityLoader,
  ) {}

  /**
   * Loads an activity that Redis does not know. It may be half rebuilt: what was drawn before is decided before it is
   * loaded. If it is being created at this moment and opens meanwhile, it stays as it is.
   */
  async restore(activityId: string): Promise<void> {
    await this.journal.drain(activityId);
    await this.loader.load(activityId);
  }

  /**
   * Loads an activity from scratch whose packets in Redis do not add up. First it makes sure that nobody can draw any
   * more; then what was drawn before is decided, so that the load finds nothing under way.
   */
  async rebuild(activityId: string): Promise<void> {
    await this.contents.forget(activityId);
    await this.restore(activityId);
  }

  /** Redis is read first: what is added meanwhile is in Postgres before it is there. */
  async rebuildUnlessSound(activityId: string): Promise<void> {
    const { status, birth, packetsLeft, held } = await this.standings.of(activityId);
    const activity = await this.activities.find(activityId);
    if (status !== 'open' || activity?.status !== 'active') return;
    if (birth === activity.birth && packetsLeft + held === activity.packetCount) return;
    await this.rebuild(activityId);
  }

  /** Erases what Redis holds under this id, unless it is the activity that was born so; `birth` is undefined for none. */
  async eraseOthers(activityId: string, birth: string | undefined): Promise<void> {
    const standing = await this.standings.of(activityId);
    const isAnother = standing.status !== undefined && standing.birth !== birth;
    if (birth === undefined || isAnother) await this.contents.remove([activityId]);
  }
}
