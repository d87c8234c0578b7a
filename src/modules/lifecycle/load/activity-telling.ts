import { Injectable } from '@nestjs/common';
import { type HeldPacket, RainContents } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../../activity';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from '../../grab';
import { ActivityRestoring } from './activity-restoring';
import { ClaimReminding } from './claim-reminding';

/** Tells Redis what Postgres knows about one part of an activity. Safe at any time. */
@Injectable()
export class ActivityTelling {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly reminding: ClaimReminding,
    private readonly restoring: ActivityRestoring,
    private readonly confirmations: ConfirmService,
    private readonly contents: RainContents,
  ) {}

  /** What Redis may have forgotten. */
  async tell(id: string, part = 0): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity && part < activity.parts) await this.reminding.remind(activity, part);
  }

  /**
   * The same, when Redis may also remember what Postgres has lost. Whatever users hold there is submitted to Postgres
   * again: a win that is still possible becomes a claim again, so that its winner keeps what they heard; the rest is taken
   * back. An activity that Postgres does not have is erased.
   */
  async tellAnew(id: string, part = 0): Promise<void> {
    const activity = await this.activities.find(id);
    await this.restoring.eraseOthers(id, activity?.birth, part, activity?.parts);
    if (!activity || part >= activity.parts) return;
    for await (const holders of this.contents.holders(id, part)) await this.confirm(activity, part, holders);
    await this.reminding.remind(activity, part);
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
}
