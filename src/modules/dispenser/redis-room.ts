import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { PROBE_KEY } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 1_000;
const PROBE_KEPT_MS = 60_000;

/**
 * Whether Redis takes writes, and how full it is. A server that is full, whose disk is full, or that has become a
 * replica still answers those who only ask. It is checked once a second, however often somebody asks.
 */
@Injectable()
export class RedisRoom {
  private readonly logger = new Logger('RedisRoom');
  private readonly gauge;
  /** What Redis answers instead of taking a write. */
  private refusal?: string;
  private usedShare = 0;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'hongbao_redis_memory_used_ratio',
      help: 'Memory that Redis uses, as a fraction of its maxmemory; 0 when that is not set',
    });
  }

  get refusesWrites(): boolean {
    return this.refusal !== undefined;
  }

  /** Of maxmemory, 0 where Redis has none. */
  get memoryShare(): number {
    return this.usedShare;
  }

  @Repeats('RedisRoom', LOOK_EVERY_MS)
  async look(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    this.usedShare = shareIn(await this.redis.info('memory'));
    this.gauge.set(this.usedShare);
    const before = this.refusal;
    this.refusal = await this.refusalOfWrites();
    if (before !== undefined && this.refusal === undefined) this.tellRoomAgain(before);
  }

  /** @throws when Redis is away, which others notice */
  private async refusalOfWrites(): Promise<string | undefined> {
    try {
      await this.redis.set(PROBE_KEY, '', 'PX', PROBE_KEPT_MS);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
      this.logger.warn(`Redis refuses writes: ${error.message}`);
      return error.message;
    }
  }

  /**
   * Redis 7.0 leaves a gap of zeros where a write to its append-only file was cut off, goes on behind it, and cannot read
   * the file when it starts again. The programs' user may not have the file written anew.
   */
  private tellRoomAgain(refusal: string): void {
    if (refusal.startsWith('MISCONF') && refusal.includes('AOF'))
      this.logger.error(
        `Redis takes writes again. Run BGREWRITEAOF now: its append-only file may have a gap.`,
      );
    else this.logger.log('Redis takes writes again.');
  }
}

function shareIn(info: string): number {
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const bound = numberOf('maxmemory');
  return bound === 0 ? 0 : numberOf('used_memory') / bound;
}
