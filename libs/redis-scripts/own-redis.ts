import type { ChainableCommander, Redis } from 'ioredis';
import { RedisKeys } from './redis-keys';
import { repliesOf } from './replies';
import { isFenced, Script } from './script';
import type { ScriptDefinition } from './script-header';

/** Redis holds the data of another installation: nothing on it may be believed or touched. */
export class ForeignRedis extends Error {
  constructor() {
    super('Redis (REDIS_URL) belongs to another installation.');
  }
}

/**
 * Runs a script on our own server only; the script itself checks, so that nothing can come in between. A server that
 * has forgotten its owner is acquired.
 *
 * @throws ForeignRedis
 */
export type FencedScript = (
  shard: number,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * Redis as one installation uses it: all parts of the dispenser read and write through it. It knows whose the server is,
 * and keeps them from what belongs to others.
 */
export class OwnRedis {
  readonly keys: RedisKeys;
  private owner = '';
  private foreign = false;
  /** Redis remembers what Postgres has lost: nothing may end before its winners are submitted to Postgres again. */
  isAhead = false;

  constructor(
    readonly redis: Redis,
    shardCount: number,
  ) {
    this.keys = new RedisKeys(shardCount);
  }

  /** Without an identity it works on a server that belongs to nobody. */
  identify(installation: string): void {
    this.owner = installation;
  }

  /** Empty before {@link identify}. */
  get installation(): string {
    return this.owner;
  }

  /** Whether the server was found to belong to another installation when that was last asked: leave it alone. */
  get isForeign(): boolean {
    return this.foreign;
  }

  /** Whether another installation has acquired a shard. Changes nothing. */
  async belongsToOthers(): Promise<boolean> {
    const owners = await Promise.all(this.keys.shards.map((shard) => this.ownerOf(shard)));
    return owners.some((owner) => owner !== null && owner !== this.owner);
  }

  /**
   * Acquires a server that belongs to nobody; from then on it is not trusted, because it has forgotten everything.
   *
   * @throws ForeignRedis when a shard belongs to another installation
   */
  async acquire(shards: readonly number[] = this.keys.shards): Promise<void> {
    if (this.owner === '') return;
    for (const shard of shards) {
      if ((await this.ownerOf(shard)) === null) await this.acquireShard(shard);
      this.foreign = (await this.ownerOf(shard)) !== this.owner;
      if (this.foreign) throw new ForeignRedis();
    }
  }

  /** The trust is withdrawn first: a process that dies in between leaves a server that belongs to nobody. */
  private async acquireShard(shard: number): Promise<void> {
    await this.redis.unlink(this.keys.trustedServer());
    await this.redis.unlink(this.keys.history());
    await this.redis.set(this.keys.installation(shard), this.owner, 'NX');
  }

  private ownerOf(shard: number): Promise<string | null> {
    return this.redis.get(this.keys.installation(shard));
  }

  /** See {@link FencedScript}. */
  fenced(definition: ScriptDefinition): FencedScript {
    const script = new Script(this.redis, definition, { fenced: true });
    return (shard, keys, args) =>
      this.onOwn(shard, () => script.run([...keys, this.keys.installation(shard)], [...args, this.owner]));
  }

  /** One for each definition, under its name. */
  fencedAll<Name extends string>(
    definitions: Readonly<Record<Name, ScriptDefinition>>,
  ): Record<Name, FencedScript> {
    const scripts = Object.entries<ScriptDefinition>(definitions).map(([name, definition]) => [
      name,
      this.fenced(definition),
    ]);
    return Object.fromEntries(scripts) as Record<Name, FencedScript>;
  }

  private async onOwn(shard: number, attempt: () => Promise<unknown>): Promise<unknown> {
    try {
      return await attempt();
    } catch (error) {
      if (!isFenced(error)) throw error;
      if (this.owner === '') throw new ForeignRedis();
      await this.acquire([shard]);
      return attempt();
    }
  }

  /**
   * What read-only commands answer. The owner is read before and after them. A transaction would do it at one moment, but a
   * server whose memory is full refuses all of it.
   *
   * @throws ForeignRedis instead of what another installation has written
   */
  async read(shard: number, ask: (pipeline: ChainableCommander) => ChainableCommander): Promise<unknown[]> {
    const installation = this.keys.installation(shard);
    const asked = ask(this.redis.pipeline().get(installation)).get(installation);
    const [before, ...replies] = repliesOf(await asked.exec());
    this.requireOwn(before, replies.pop());
    return replies;
  }

  /** @throws ForeignRedis unless each owner that was read is ours, or nobody */
  requireOwn(...owners: unknown[]): void {
    if (owners.every((owner) => this.owner === '' || owner === null || owner === this.owner)) return;
    this.foreign = true;
    throw new ForeignRedis();
  }
}
