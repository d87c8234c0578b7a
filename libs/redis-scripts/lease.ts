import { randomUUID } from 'node:crypto';
import * as definitions from './event-script-definitions';
import type { RedisClient } from './redis-client';
import { Script } from './script';

/**
 * Lets one of many processes do a task. For a moment two processes may consider themselves the holder, so the
 * task must also be correct if two do it.
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

  /** False if another process holds it. */
  async hold(): Promise<boolean> {
    return (await this.script.run([this.key], [this.holder, this.leaseMs])) === 1;
  }
}
