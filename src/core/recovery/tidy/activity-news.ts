import { Injectable } from '@nestjs/common';
import { type Standing, Standings } from '../../../../libs/redis-scripts';
import type { Activity } from '../../activity';
import { NewsListeners, type NewsOfActivity } from '../../news';

/** The mark for an activity whose end was published. */
export const TOLD_CLOSED = 'closed';

/**
 * Notifies all who watch an activity that it has opened, is sold out, or has ended. Redis remembers
 * the last message after it was published: a crash in between publishes it again; it counts once.
 */
@Injectable()
export class ActivityNews {
  constructor(
    private readonly standings: Standings,
    private readonly listeners: NewsListeners,
  ) {}

  /**
   * After a top-up an activity has opened again.
   * @throws if Redis is down
   */
  async tellOpen(activityId: string, standing: Standing): Promise<void> {
    const { packetsLeft, packetCursor, opensAtMs, told, nowMs } = standing;
    if (nowMs < opensAtMs) return;
    const event = packetsLeft === 0 ? 'activity.sold-out' : 'activity.opened';
    await this.tell(activityId, told, `${event}.${packetCursor}`, { event, at: nowMs });
  }

  /** @throws if Redis is down */
  async tellClosed(activityId: string): Promise<void> {
    const { told, endedAtMs, nowMs } = await this.standings.readStanding(
      this.standings.keys.placeOf(activityId),
    );
    await this.tell(activityId, told, TOLD_CLOSED, { event: 'activity.closed', at: endedAtMs ?? nowMs });
  }

  /** @throws if Redis is down */
  async tellExtended({ id, closesAt, readAt }: Activity): Promise<void> {
    const data = { activityId: id, at: readAt.toISOString(), closesAt: closesAt.toISOString() };
    await this.listeners.publish((): NewsOfActivity[] => [
      { id: `${id}.extended.${closesAt.getTime()}`, event: 'activity.extended', data },
    ]);
  }

  private async tell(
    activityId: string,
    told: string | undefined,
    now: string,
    { event, at }: { event: NewsOfActivity['event']; at: number },
  ): Promise<void> {
    if (told === now) return;
    const id = `${activityId}.${now}`;
    await this.listeners.publish((): NewsOfActivity[] => [
      { id, event, data: { activityId, at: new Date(at).toISOString() } },
    ]);
    await this.standings.rememberTold(activityId, now);
  }
}
