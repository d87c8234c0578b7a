import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as definitions from './event-script-definitions';
import { leaseKey } from './redis-keys';
import { Script } from './script';

/**
 * Lets one of many processes do something. It spares the others the work and no more: for a moment two may both believe
 * that they hold it, so what they do must be right for two as well.
 */
export class Lease {
  private readonly script: Script;
  private readonly key: string;
  private readonly holder = randomUUID();

  constructor(
    redis: Redis,
    name: string,
    private readonly leaseMs: number,
  ) {
    this.script = new Script(redis, definitions.holdLease);
    this.key = leaseKey(name);
  }

  /** Takes or extends it; false when somebody else holds it. */
  async hold(): Promise<boolean> {
    return (await this.script.run([this.key], [this.holder, this.leaseMs])) === 1;
  }
}
