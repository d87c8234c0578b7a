import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { answersOf, Servers } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 1_000;

interface Look {
  /** The lead of Redis's clock over that of Postgres, taken from the master that differs most. */
  readonly aheadMs: number;
  /** The part of `aheadMs` that may be the time of the round trips. */
  readonly doubtMs: number;
}

interface Lead {
  readonly seconds: number;
  readonly isBeyond: boolean;
}

/**
 * Compares the clocks of Postgres and of every Redis server that answers. No step that cannot be
 * undone happens while they disagree about it. So a wrong clock costs no money, but rains open late
 * or early by it, and end late.
 */
@Injectable()
export class ClockSkew {
  private readonly logger = new Logger('ClockSkew');
  private readonly gauge;
  private lead?: Lead;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly servers: Servers,
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'hongbao_clock_skew_seconds',
      help: 'How far the clock of Redis is ahead of that of Postgres; negative while it is behind',
    });
  }

  /** The lead of Redis at the last look, and whether it is too large; undefined before the first look. */
  get lastLead(): Lead | undefined {
    return this.lead;
  }

  @Repeats('ClockSkew', LOOK_EVERY_MS)
  async measureLead(): Promise<void> {
    const { aheadMs, doubtMs } = await this.compare();
    const wasBeyond = this.lead?.isBeyond ?? false;
    const isBeyond = Math.abs(aheadMs) - doubtMs > this.config.CLOCK_SKEW_MAX_MS;
    const seconds = aheadMs / 1000;
    this.lead = { seconds, isBeyond };
    this.gauge.set(seconds);
    if (isBeyond === wasBeyond) return;
    if (isBeyond)
      this.logger.warn(
        `The clock of Redis is ${seconds.toFixed(1)} s ahead of that of Postgres: set them right.`,
      );
    else this.logger.log('The clocks of Redis and Postgres agree again.');
  }

  /** Compares each clock with the monotonic one of this process, amid its round trip. */
  private async compare(): Promise<Look> {
    const clocks = await answersOf(this.servers.keys.map((key) => timed(() => this.redisNowMs(key))));
    const postgres = await timed(() => this.postgresNowMs());
    const looks = clocks.map((redis) => ({
      aheadMs: redis.clockMs - redis.middleMs - (postgres.clockMs - postgres.middleMs),
      doubtMs: redis.doubtMs + postgres.doubtMs,
    }));
    return looks.reduce((worst, look) => (Math.abs(look.aheadMs) > Math.abs(worst.aheadMs) ? look : worst));
  }

  private async redisNowMs(key: string): Promise<number> {
    return (await this.servers.facts(key)).nowMs;
  }

  private async postgresNowMs(): Promise<number> {
    const [row] = await this.dataSource.query<{ nowMs: number }[]>(
      `select 1000 * extract(epoch from clock_timestamp())::float8 as "nowMs"`,
    );
    return row!.nowMs;
  }
}

async function timed(
  ask: () => Promise<number>,
): Promise<{ clockMs: number; middleMs: number; doubtMs: number }> {
  const before = performance.now();
  const clockMs = await ask();
  const after = performance.now();
  return { clockMs, middleMs: (before + after) / 2, doubtMs: (after - before) / 2 };
}
