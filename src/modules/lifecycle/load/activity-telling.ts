import { Injectable } from '@nestjs/common';
import { type HeldPacket, RainContents, Standings } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../../activity';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from '../../grab';
import { ActivityLoader } from './activity-loader';
import { ActivityTidying } from '../tidy/activity-tidying';

/** Tells Redis what Postgres knows about one activity. Safe at any time. */
@Injectable()
export class ActivityTelling {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly tidying: ActivityTidying,
    private readonly confirmations: ConfirmService,
    private readonly contents: RainContents,
    private readonly standings: Standings,
  ) {}

  /** What Redis may have forgotten. */
  async tell(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.remind(activity);
  }

  /**
   * The same, when Redis may also remember what Postgres has lost. Whatever users hold there is submitted to Postgres
   * again: a win that is still possible becomes a claim again, so that its winner keeps what they heard; the rest is taken
   * back. An activity that Postgres does not have is erased.
   */
  async tellAnew(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    const { status, birth } = await this.standings.of(id);
    const isAnother = status !== undefined && birth !== activity?.birth;
    if (!activity || isAnother) await this.contents.remove([id]);
    if (!activity) return;
    for await (const holders of this.contents.holders(id)) await this.confirm(id, holders);
    await this.remind(activity);
    if (activity.status === 'active') await this.rebuildUnlessSound(id);
  }

  /** Packets that were added may be forgotten as well. */
  private async remind(activity: Activity): Promise<void> {
    if (activity.status !== 'active') return this.tidyUp(activity.id);
    await this.loader.remind(activity.id);
    await this.loader.extend(activity.id);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Somebody else is tidying it up.');
  }

  private async confirm(
    activityId: string,
    holders: readonly { userId: string; packet: HeldPacket }[],
  ): Promise<void> {
    for (let start = 0; start < holders.length; start += RESERVATIONS_PER_COMMIT_MAX) {
      const some = holders.slice(start, start + RESERVATIONS_PER_COMMIT_MAX);
      const left = await this.confirmations.confirmAll(some.map((holder) => ({ activityId, ...holder })));
      if (left.length > 0) throw new Error('Somebody else keeps the activity locked.');
    }
  }

  /** Redis is read first: what is added meanwhile is in Postgres before it is there. */
  private async rebuildUnlessSound(id: string): Promise<void> {
    const { status, birth, packetsLeft, held } = await this.standings.of(id);
    const activity = await this.activities.find(id);
    if (status !== 'open' || activity?.status !== 'active') return;
    if (birth === activity.birth && packetsLeft + held === activity.packetCount) return;
    await this.loader.rebuild(id);
  }
}
