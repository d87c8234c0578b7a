import type { Redis } from 'ioredis';
import { OwnRedis } from '../../libs/redis-scripts';
import { DispenserParts } from '../harness/dispenser-parts';
import type { Sample } from './measure';
import { openRain } from './packets';

export const USERS_PER_CALL = 16;
const SHARDS = 16;
const CALLS_IN_FLIGHT = 8;

export class Draws {
  readonly parts: DispenserParts;
  private activities = 0;
  private users = 0;

  constructor(private readonly redis: Redis) {
    this.parts = new DispenserParts(new OwnRedis(redis, SHARDS));
  }

  async open(packets: number, holders = 0): Promise<string> {
    const activityId = String(++this.activities);
    await openRain(this.parts, activityId, { packets, holders });
    return activityId;
  }

  async openMany(count: number, packetsEach: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const some = Math.min(CALLS_IN_FLIGHT * 8, count - ids.length);
      ids.push(...(await Promise.all(Array.from({ length: some }, () => this.open(packetsEach)))));
    }
    return ids;
  }

  /** Every user must win. The processor time is that of the thread of Redis that runs scripts. */
  async draw(activityIds: readonly string[], calls: number): Promise<Sample> {
    const cpuBefore = await this.cpuMicros();
    const began = performance.now();
    await this.drawAll(activityIds, calls);
    const micros = (performance.now() - began) * 1000;
    const cpu = (await this.cpuMicros()) - cpuBefore;
    await this.forgetJournals();
    const grabs = calls * USERS_PER_CALL;
    return { cpuMicrosPerGrab: cpu / grabs, microsPerGrab: micros / grabs };
  }

  async drawAll(activityIds: readonly string[], calls: number): Promise<void> {
    for (let call = 0; call < calls; call += CALLS_IN_FLIGHT) {
      const some = Array.from({ length: Math.min(CALLS_IN_FLIGHT, calls - call) }, (_, i) => call + i);
      await Promise.all(some.map((one) => this.drawOnce(activityIds[one % activityIds.length]!)));
    }
  }

  private async drawOnce(activityId: string): Promise<void> {
    const userIds = Array.from({ length: USERS_PER_CALL }, () => `user-${++this.users}`);
    const shard = this.parts.keys.shardOf(activityId);
    const outcomes = await this.parts.reservations.draw(shard, [{ activityId, userIds }]);
    const lost = outcomes.find(({ kind }) => kind !== 'won');
    if (lost) throw new Error(`A user who had to win heard ${lost.kind}.`);
  }

  /** Empties the journals, which confirmations keep short in production. */
  async forgetJournals(): Promise<void> {
    const journals = Array.from({ length: SHARDS }, (_, shard) => this.parts.keys.journal(shard));
    await Promise.all(journals.map((journal) => this.redis.del(journal)));
  }

  async memoryBytes(): Promise<number> {
    return figureIn(await this.redis.info('memory'), 'used_memory');
  }

  private async cpuMicros(): Promise<number> {
    const info = await this.redis.info('cpu');
    const seconds = figureIn(info, 'used_cpu_user_main_thread') + figureIn(info, 'used_cpu_sys_main_thread');
    return seconds * 1_000_000;
  }
}

const figureIn = (info: string, field: string): number =>
  Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)![1]);
