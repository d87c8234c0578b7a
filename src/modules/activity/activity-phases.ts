import { Injectable, Logger } from '@nestjs/common';
import { Dispenser } from '../../../libs/redis-scripts';
import type { Activity } from './activity';
import type { Phase } from './activity.dto';

/** Tells in which phase activities are, by the clock of Redis; by that of Postgres while Redis is away. */
@Injectable()
export class ActivityPhases {
  private readonly logger = new Logger('ActivityPhases');

  constructor(private readonly dispenser: Dispenser) {}

  /** In the order of the activities. While Redis is away the packets cannot be seen, and nothing is called sold out. */
  async of(activities: readonly Activity[]): Promise<Phase[]> {
    const live = activities.filter((activity) => activity.status === 'active').map((activity) => activity.id);
    const { nowMs, soldOut } = await this.look(live);
    return activities.map((activity) =>
      phaseOf(activity, nowMs ?? activity.readAt.getTime(), soldOut.has(activity.id)),
    );
  }

  private async look(ids: readonly string[]): Promise<{ nowMs?: number; soldOut: Set<string> }> {
    try {
      const [nowMs, standing] = await Promise.all([this.dispenser.nowMs(), this.dispenser.standing(ids)]);
      const soldOut = ids.filter((_, i) => standing[i]!.status === 'open' && standing[i]!.packetsLeft === 0);
      return { nowMs, soldOut: new Set(soldOut) };
    } catch (error) {
      this.logger.warn(`Phases are told without Redis: ${String(error)}`);
      return { soldOut: new Set() };
    }
  }
}

function phaseOf(activity: Activity, nowMs: number, soldOut: boolean): Phase {
  if (activity.settled) return 'settled';
  if (activity.status !== 'active' || nowMs >= activity.closesAt.getTime()) return 'closed';
  if (nowMs < activity.opensAt.getTime()) return 'scheduled';
  return soldOut ? 'sold-out' : 'open';
}
