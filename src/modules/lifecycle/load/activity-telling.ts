import { Injectable } from '@nestjs/common';
import { type HeldPacket, RainContents } from '../../../../libs/redis-scripts';
import { ActivityRepository } from '../../activity';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from '../../grab';
import { ActivityRestoring } from './activity-restoring';
import { ClaimReminding } from './claim-reminding';

/** Tells Redis what Postgres knows about one activity. Safe at any time. */
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
  async tell(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.reminding.remind(activity);
  }

  /**
   * The same, when Redis may also remember what Postgres has lost. Whatever users hold there is submitted to Postgres
   * again: a win that is still possible becomes a claim again, so that its winner keeps what they heard; the rest is taken
   * back. An activity that Postgres does not have is erased.
   */
  async tellAnew(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    await this.restoring.eraseOthers(id, activity?.birth);
    if (!activity) return;
    for await (const holders of this.contents.holders(id)) await this.confirm(id, holders);
    await this.reminding.remind(activity);
    if (activity.status === 'active') await this.restoring.rebuildUnlessSound(id);
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
}
