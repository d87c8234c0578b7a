import { Injectable, Logger } from '@nestjs/common';
import { type Standing, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository } from '../../activity';
import { ActivityClosing } from '../close/activity-closing';
import { ActivityLoader } from '../load/activity-loader';
import { ActivityRestoring } from '../load/activity-restoring';

/** An activity that Postgres calls active. */
export type ActiveActivity = Awaited<ReturnType<ActivityRepository['active']>>[number];

export const REPAIRS = ['loaded', 'extended', 'rebuilt', 'closed'] as const;

export interface Repair {
  readonly how: (typeof REPAIRS)[number];
  readonly work: () => Promise<void>;
}

/** Where it stands, if nothing is wrong with it; or what sets it right. Neither, when somebody else sees to it. */
export interface Finding {
  readonly sound?: Standing;
  readonly repair?: Repair;
}

/** Finds out what is wrong with an active activity in Redis, and what sets it right. */
@Injectable()
export class ActivityRepairs {
  private readonly logger = new Logger('ActivityRepairs');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly standings: Standings,
    private readonly loader: ActivityLoader,
    private readonly restoring: ActivityRestoring,
    private readonly closing: ActivityClosing,
  ) {}

  /**
   * What should be open in Redis and is not: it is missing or half loaded, its closer did not get to the refund, or its
   * packets do not add up, because Redis has forgotten who took some of them.
   */
  async lookAt({ id, packetCount, birth }: ActiveActivity): Promise<Finding> {
    const standing = await this.standings.of(id);
    const { status, packetsLeft, held } = standing;
    if (status === 'newer') return {};
    if (status !== undefined && standing.birth !== birth) return { repair: this.replacementOf(id) };
    if (status === 'closed' || status === 'closing')
      return { repair: { how: 'closed', work: () => this.close(id) } };
    if (status === 'loading') return { repair: { how: 'loaded', work: () => this.loader.load(id) } };
    if (status === undefined) return { repair: { how: 'loaded', work: () => this.restoring.restore(id) } };
    if (packetsLeft + held !== packetCount) return { repair: await this.repairOfPackets(id) };
    return { sound: standing };
  }

  private replacementOf(id: string): Repair {
    const work = () => {
      this.logger.warn(`Activity ${id}: what Redis holds is another activity of the same id.`);
      return this.restoring.restore(id);
    };
    return { how: 'rebuilt', work };
  }

  /**
   * Packets do not add up, or some were added after their number was read. It is read again, after Redis: what is added is
   * in Postgres first, so that now Redis cannot have more.
   */
  private async repairOfPackets(id: string): Promise<Repair | undefined> {
    const { packetsLeft, held, packetCursor } = await this.standings.of(id);
    const activity = await this.activities.find(id);
    if (activity?.status !== 'active' || packetsLeft + held === activity.packetCount) return undefined;
    if (packetCursor < activity.packetCount) return { how: 'extended', work: () => this.loader.extend(id) };
    const work = () => {
      this.logger.warn(
        `Activity ${id}: ${packetsLeft} left and ${held} held are not ${activity.packetCount} packets.`,
      );
      return this.restoring.rebuild(id);
    };
    return { how: 'rebuilt', work };
  }

  private async close(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.closing.close(activity, 'any-time');
  }
}
