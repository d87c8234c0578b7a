import { Injectable } from '@nestjs/common';
import { type Place, RainContents, Standings } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../../activity';
import { ActivityLoader } from './activity-loader';
import { LoadingRepository } from '../record/loading.repository';

/** Rebuilds places that are wrong in Redis. Safe at any time, and by several processes at once. */
@Injectable()
export class ActivityRebuilder {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
    private readonly loader: ActivityLoader,
  ) {}

  /**
   * Loads a place from scratch. First it stops all draws; then every reservation is decided, so that the load
   * finds none under way.
   */
  async rebuild(place: Place): Promise<void> {
    await this.contents.forget(place);
    await this.loader.loadAt(place);
  }

  /** Redis is read first, because added packets are in Postgres before they are in Redis. */
  async rebuildUnlessSound(place: Place): Promise<void> {
    const { status, birth, packetsLeft, held } = await this.standings.readStanding(place);
    const activity = await this.activities.findActivity(place.id);
    if (status !== 'open' || activity?.status !== 'active') return;
    if (birth === activity.birth && packetsLeft + held === (await this.sizeOf(activity, place))) return;
    await this.rebuild(place);
  }

  /** Erases the contents of a place, unless they belong to this activity. */
  async eraseOthers(place: Place, activity: Activity | undefined): Promise<void> {
    const { status, birth } = await this.standings.readStanding(place);
    const isAnother = status !== undefined && birth !== activity?.birth;
    if (!activity || place.part >= activity.parts || isAnother) await this.contents.remove([place]);
  }

  private async sizeOf({ id, packetCount, parts }: Activity, { part }: Place): Promise<number> {
    return parts === 1 ? packetCount : (await this.toLoad.partSizes(id))[part]!;
  }
}
