import { randomUUID } from 'node:crypto';
import * as definitions from './event-script-definitions';
import type { RedisClient } from './redis-client';
import { Script } from './script';

/**
 * Lets one of many processes do a task. It only spares the others the work: for a moment two may
 * both believe that they hold it, so the task must be right for two as well.
 */
export class Lease {
  private readonly script: Script;
  private readonly holder = randomUUID();

  constructor(
    redis: RedisClient,
    private readonly key: string,
    private readonly leaseMs: number,
  ) {
    this.script = new Script(redis, definitions.holdLease);
  }

  /** Takes or extends the lease; false if another process holds it. */
  async hold(): Promise<boolean> {
    return (await this.script.run([this.key], [this.holder, this.leaseMs])) === 1;
  }
}
