import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Dispenser } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { RepeatingTask } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 500;

/**
 * Whether Redis remembers who won. From the moment a connection is lost until a worker has told the server all claims,
 * "sold-out" and "closed" are only what Redis believes: a winner must not hear them.
 */
@Injectable()
export class RedisMemory implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private trusted = false;
  private readonly gauge;
  private readonly task = new RepeatingTask('RedisMemory', LOOK_EVERY_MS, () => this.look());

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly dispenser: Dispenser,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'redis_trusted',
      help: '1 while Redis has been told all claims since it started; 0 for more than seconds: no worker does it',
    });
  }

  get isTrusted(): boolean {
    return this.trusted;
  }

  onApplicationBootstrap(): void {
    this.redis.on('close', () => (this.trusted = false));
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  private async look(): Promise<void> {
    this.trusted = this.redis.status === 'ready' && (await this.dispenser.isTrusted());
    this.gauge.set(this.trusted ? 1 : 0);
  }
}
