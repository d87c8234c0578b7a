import { Inject, Injectable, Logger } from '@nestjs/common';
import { type RedisClient, Servers } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 1_000;
const PROBE_KEPT_MS = 60_000;

export interface Room {
  /** As a share of maxmemory; 0 if there is no limit. */
  readonly memoryShare: number;
  /** The error with which the server answers writes, while it accepts none. */
  readonly refusal?: string;
}

const UNKNOWN: Room = { memoryShare: 0 };

/**
 * Tracks whether Redis accepts writes, and how full it is, server by server: a server that is full, whose
 * disk is full, or that has become a replica still answers reads. Checked once a second, however many callers
 * ask.
 */
@Injectable()
export class RedisMemory {
  private readonly logger = new Logger('RedisMemory');
  private readonly gauge;
  /** A server that does not answer has no entry. */
  private rooms: ReadonlyMap<string, Room> = new Map();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly servers: Servers,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'hongbao_redis_memory_used_ratio',
      help: 'Memory that Redis uses, as a fraction of its maxmemory; 0 when that is not set. In a cluster, of its fullest master',
    });
  }

  get refusesWrites(): boolean {
    return [...this.rooms.values()].some(({ refusal }) => refusal !== undefined);
  }

  /** The share of its memory that the fullest server uses; 0 where there is no limit. */
  get fullestShare(): number {
    return Math.max(0, ...Array.from(this.rooms.values(), ({ memoryShare }) => memoryShare));
  }

  at(key: string): Room {
    return this.rooms.get(this.servers.serverOf(key)) ?? UNKNOWN;
  }

  @Repeats('RedisMemory', LOOK_EVERY_MS, { logs: 'changes' })
  async measureRooms(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const { keys } = this.servers;
    const looks = await Promise.allSettled(keys.map((key) => this.lookAt(key)));
    const rooms = new Map<string, Room>();
    looks.forEach((look, i) => {
      if (look.status === 'fulfilled') rooms.set(this.servers.serverOf(keys[i]!), look.value);
    });
    this.rooms = rooms;
    this.gauge.set(this.fullestShare);
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async lookAt(key: string): Promise<Room> {
    const { memoryShare } = await this.servers.facts(key);
    const before = this.at(key).refusal;
    const refusal = await this.refusalOfWrites(key);
    if (before !== undefined && refusal === undefined) this.tellRoomAgain(key, before);
    return { memoryShare, refusal };
  }

  /** @throws if Redis is down, which other checks report */
  private async refusalOfWrites(key: string): Promise<string | undefined> {
    try {
      await this.redis.set(key, '', 'PX', PROBE_KEPT_MS);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
      this.logger.warn(`${this.nameAt(key)} refuses writes: ${error.message}`);
      return error.message;
    }
  }

  /**
   * If a write to the append-only file was cut off, Redis 7.0 leaves a gap of zeros, continues after it, and
   * cannot read the file when it starts again. The programs' user may not have it rewritten.
   */
  private tellRoomAgain(key: string, refusal: string): void {
    const again = `${this.nameAt(key)} takes writes again.`;
    if (refusal.startsWith('MISCONF') && refusal.includes('AOF'))
      this.logger.error(`${again} Run BGREWRITEAOF now: its append-only file may have a gap.`);
    else this.logger.log(again);
  }

  private nameAt(key: string): string {
    return `Redis ${this.servers.serverOf(key)}`.trimEnd();
  }
}
