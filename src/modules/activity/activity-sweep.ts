import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type CloseWhen, Dispenser, type Standing } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { RepeatingTask } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ActivityClosing } from './activity-closing';
import { ActivityLoader } from './activity-loader';
import { ActivityNews, TOLD_CLOSED } from './activity-news';
import { ActivityRepository } from './activity.repository';

/** Activities looked at in one sweep; the next sweep goes on behind them, and begins again at the end. */
const LOOKED_AT_MAX = 1_000;
const CLOSED_MAX = 100;

/** A closer that died just before its last step; others find that step done. */
const TIDIED_MINUTES = 10;

/** Sets right what Redis has lost or a crash left half done, and closes what is over. */
@Injectable()
export class ActivitySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ActivitySweep');
  private readonly mending: RepeatingTask;
  private readonly closingDue: RepeatingTask;
  private readonly mended;
  private lookedAt = '0';

  constructor(
    private readonly activities: ActivityRepository,
    private readonly loader: ActivityLoader,
    private readonly closing: ActivityClosing,
    private readonly dispenser: Dispenser,
    private readonly news: ActivityNews,
    config: AppConfig,
    metrics: Metrics,
  ) {
    this.mended = metrics.counter({
      name: 'activities_mended_total',
      help: 'Activities that the sweeper has set right in Redis: loaded, extended by what was added to them, loaded again because packets did not add up, closed, or tidied up after a close',
      labelNames: ['how'],
    });
    this.mending = new RepeatingTask('MendActivities', config.SWEEP_INTERVAL_MS, (stopping) =>
      this.mendAll(stopping),
    );
    this.closingDue = new RepeatingTask('CloseDue', config.SWEEP_INTERVAL_MS, (stopping) =>
      this.closeDue(stopping),
    );
  }

  onApplicationBootstrap(): void {
    this.mending.start();
    this.closingDue.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.mending.stop(), this.closingDue.stop()]);
  }

  private async mendAll(stopping?: AbortSignal): Promise<void> {
    const activities = await this.activities.active(this.lookedAt, LOOKED_AT_MAX);
    this.lookedAt = activities.length < LOOKED_AT_MAX ? '0' : activities.at(-1)!.id;
    const nowMs = await this.dispenser.nowMs();
    for (const { id, packetCount } of activities) {
      if (stopping?.aborted) return;
      await this.attempt(id, () => this.mend(id, packetCount, nowMs));
    }
    await this.tidyUpEnded(stopping);
  }

  /**
   * What should be open in Redis and is not: it is missing or half loaded, its closer did not get to the refund, or its
   * packets do not add up, because Redis has forgotten who took some of them.
   */
  private async mend(id: string, packetCount: number, nowMs: number): Promise<void> {
    const standing = await this.dispenser.standingOf(id);
    const { status, packetsLeft, held } = standing;
    if (status === 'closed' || status === 'closing') {
      this.mended.inc({ how: 'closed' });
      await this.close(id, 'any-time');
    } else if (status === 'loading') {
      this.mended.inc({ how: 'loaded' });
      await this.loader.load(id);
    } else if (status === undefined) {
      this.mended.inc({ how: 'loaded' });
      await this.loader.restore(id);
    } else if (packetsLeft + held !== packetCount) {
      await this.mendPackets(id, standing);
    } else {
      await this.news.tellOpen(id, standing, nowMs);
    }
  }

  /**
   * Packets do not add up, or some were added after their number was read. It is read again, after Redis: what is added is
   * in Postgres first, so that now Redis cannot have more.
   */
  private async mendPackets(id: string, { packetsLeft, held, packetCursor }: Standing): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity?.status !== 'active' || packetsLeft + held === activity.packetCount) return;
    if (packetCursor < activity.packetCount) {
      this.mended.inc({ how: 'extended' });
      return this.loader.extend(id);
    }
    this.mended.inc({ how: 'rebuilt' });
    this.logger.warn(
      `Activity ${id}: ${packetsLeft} left and ${held} held are not ${activity.packetCount} packets.`,
    );
    await this.loader.rebuild(id);
  }

  /** What Postgres has ended and Redis still takes for open, or half told: its closer died before the last step. */
  private async tidyUpEnded(stopping?: AbortSignal): Promise<void> {
    const ids = await this.activities.ended(TIDIED_MINUTES, LOOKED_AT_MAX);
    const standings = await this.dispenser.standing(ids);
    for (const [i, id] of ids.entries()) {
      if (stopping?.aborted) return;
      const { status, packetsLeft, told } = standings[i]!;
      const isTidy = status === undefined || (status === 'closed' && told === TOLD_CLOSED);
      if (isTidy && packetsLeft === 0) continue;
      this.mended.inc({ how: 'tidied up' });
      await this.attempt(id, () => this.tidyUp(id));
    }
  }

  private async tidyUp(id: string): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.closing.tidyUp(activity);
  }

  private async closeDue(stopping?: AbortSignal): Promise<void> {
    const now = new Date(await this.dispenser.nowMs());
    for (const id of await this.activities.due(now, CLOSED_MAX)) {
      if (stopping?.aborted) return;
      await this.attempt(id, () => this.close(id, 'after-closing'));
    }
  }

  private async close(id: string, when: CloseWhen): Promise<void> {
    const activity = await this.activities.find(id);
    if (activity) await this.closing.close(activity, when);
  }

  /** One activity that makes trouble must not keep the others waiting. */
  private async attempt(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.error(`Activity ${id}: ${String(error)}`));
  }
}
