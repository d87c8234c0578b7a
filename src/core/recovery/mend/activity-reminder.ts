import { Injectable } from '@nestjs/common';
import type { Place } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository, isNewer } from '../../activity';
import { ActivityLoader } from '../restore/activity-loader';
import { ActivityRebuilder } from '../restore/activity-rebuilder';
import { WrittenClaims } from '../restore/written-claims';
import { ActivityTidying } from '../tidy/activity-tidying';
import { FoundHolders } from './found-holders';

/**
 * Writes into one place of an activity in Redis: its claims, its users' claims elsewhere, and added
 * packets. Safe at any time.
 */
@Injectable()
export class ActivityReminder {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly claims: WrittenClaims,
    private readonly holders: FoundHolders,
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
   */
  async resubmit(place: Place): Promise<void> {
    const activity = await this.activities.findActivity(place.id);
    await this.rebuilder.eraseOthers(place, activity);
    if (!activity || place.part >= activity.parts || isNewer(activity)) return;
    await this.holders.confirmAll(activity, place);
    await this.write(activity, place);
    if (activity.status === 'active') await this.rebuilder.rebuildUnlessSound(place);
  }

  private async write(activity: Activity, place: Place): Promise<void> {
    if (activity.status !== 'active') return this.tidyUp(activity.id);
    await this.claims.writeClaims(activity, place);
    await this.loader.extend(activity.id);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Another process is tidying it up.');
  }
}
