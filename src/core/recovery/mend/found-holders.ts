import { Injectable } from '@nestjs/common';
import { type HeldPacket, type Place, RainContents } from '../../../../libs/redis-scripts';
import type { Activity } from '../../activity';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from '../../grab';

/** Users who hold packets in a Redis that may remember what Postgres has lost. */
@Injectable()
export class FoundHolders {
  constructor(
    private readonly contents: RainContents,
    private readonly confirmations: ConfirmService,
  ) {}

  /**
   * Submits all packets that users hold in a place to Postgres again. Redis does not remember how a
   * winner was admitted, so where that may ask for a hold, all that become claims here are held.
   */
  async confirmAll(activity: Activity, place: Place): Promise<void> {
    for await (const holders of this.contents.holders(place)) await this.confirm(activity, place, holders);
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
      if (left.length > 0) throw new Error('Another session keeps the activity locked.');
    }
  }
}
