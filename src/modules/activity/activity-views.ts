import { Injectable, Logger } from '@nestjs/common';
import { Standings } from '../../../libs/redis-scripts';
import { Currency } from '../../platform/config';
import type { Activity } from './activity';
import type { ActivityDto, Phase } from './activity.dto';

/** Activities as clients see them. Their phase follows the clock of Redis; that of Postgres while Redis is away. */
@Injectable()
export class ActivityViews {
  private readonly logger = new Logger('ActivityViews');

  constructor(
    private readonly standings: Standings,
    private readonly currency: Currency,
  ) {}

  async one(activity: Activity): Promise<ActivityDto> {
    const [view] = await this.many([activity]);
    return view!;
  }

  /** In the order of the activities. While Redis is away its packets cannot be seen, and nothing is called sold out. */
  async many(activities: readonly Activity[]): Promise<ActivityDto[]> {
    const live = activities.filter((activity) => activity.status === 'active').map((activity) => activity.id);
    const { nowMs, soldOut } = await this.look(live);
    return activities.map((activity) =>
      this.view(activity, phaseOf(activity, nowMs ?? activity.readAt.getTime(), soldOut.has(activity.id))),
    );
  }

  private async look(ids: readonly string[]): Promise<{ nowMs?: number; soldOut: Set<string> }> {
    try {
      const [nowMs, standing] = await Promise.all([this.standings.nowMs(), this.standings.ofAll(ids)]);
      const soldOut = ids.filter((_, i) => standing[i]!.status === 'open' && standing[i]!.packetsLeft === 0);
      return { nowMs, soldOut: new Set(soldOut) };
    } catch (error) {
      this.logger.warn(`Phases are computed without Redis: ${String(error)}`);
      return { soldOut: new Set() };
    }
  }

  private view(activity: Activity, phase: Phase): ActivityDto {
    return {
      id: activity.id,
      name: activity.name,
      phase,
      cancelled: activity.status === 'cancelled',
      sponsorId: activity.sponsorId,
      totalAmount: this.currency.format(activity.totalMinor),
      currency: activity.currency,
      packetCount: activity.packetCount,
      opensAt: activity.opensAt.toISOString(),
      closesAt: activity.closesAt.toISOString(),
      createdAt: activity.createdAt.toISOString(),
      closedAt: activity.closedAt?.toISOString() ?? null,
    };
  }
}

function phaseOf(activity: Activity, nowMs: number, soldOut: boolean): Phase {
  if (activity.settled) return 'settled';
  if (activity.status !== 'active' || nowMs >= activity.closesAt.getTime()) return 'closed';
  if (nowMs < activity.opensAt.getTime()) return 'scheduled';
  return soldOut ? 'sold-out' : 'open';
}
