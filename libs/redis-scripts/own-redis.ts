import type { ChainableCommander } from 'ioredis';
import { answersOf } from './answers';
import { keySlot } from './key-slot';
import { isCluster, type RedisClient } from './redis-client';
import { type Dealt, FORMER_HISTORY_KEY, FORMER_SERVER_KEY, RedisKeys } from './redis-keys';
import { repliesOf } from './replies';
import { isFenced, isMistyped, Script } from './script';
import type { ScriptDefinition } from './script-header';
import { Servers } from './servers';

export const repairScripts = {
  removeMistyped: { name: 'remove-mistyped', keys: 'key*', args: 'type*', returns: 'removed*' },
} satisfies Record<string, ScriptDefinition>;

/** Redis holds the data of another installation, none of which may be trusted or touched. */
export class ForeignRedis extends Error {
  constructor() {
    super('This Redis belongs to another installation.');
  }
}

/**
 * Runs a script on our own shard only, as the script itself checks. An ownerless shard is acquired.
 * @throws ForeignRedis
 */
export type FencedScript = (
  shard: number,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** Redis as one installation uses it: the dispenser never touches data of other installations. */
export class OwnRedis {
  readonly keys: RedisKeys;
  readonly servers: Servers;
  /**
   * Shards that remember what Postgres has lost: no activity of them may end before its winners are
   * submitted to Postgres again.
   */
  readonly ahead = new Set<number>();
  /** Called with keys that were removed because they held the wrong type. */
  noteRemoved: (keys: readonly string[]) => void = () => undefined;
  private readonly slots: readonly number[];
  private owner = '';
  private foreign = false;

  constructor(
    readonly redis: RedisClient,
    shardCount: number,
  ) {
    this.keys = new RedisKeys(shardCount, { inCluster: isCluster(redis) });
    this.servers = Servers.behind(redis);
    this.slots = this.keys.shards.map((shard) => keySlot(this.keys.installation(shard)));
  }

  /** Sets our identity. Without one, it works on a server that has no owner. */
  identify(installation: string): void {
    this.owner = installation;
  }

  /** Empty before {@link identify}. */
  get installation(): string {
    return this.owner;
  }

  /** True if the last check found that Redis belongs to another installation and must not be touched. */
  get isForeign(): boolean {
    return this.foreign;
  }

  /** Returns whether a shard of an activity remembers what Postgres has lost. */
  isAhead(activity: Dealt): boolean {
    return this.keys.placesOf(activity).some(({ shard }) => this.ahead.has(shard));
  }

  /** See {@link Servers.connectionTo}. */
  connectionTo(shard: number): number {
    return this.servers.connectionTo(this.slots[shard]!);
  }

  /** Changes nothing. Shards that do not answer do not count. */
  async belongsToOthers(): Promise<boolean> {
    const owners = await answersOf(this.keys.shards.map((shard) => this.ownerOf(shard)));
    return owners.some((owner) => owner !== null && owner !== this.owner);
  }

  /**
   * Acquires shards without an owner, which have forgotten everything and are not trusted from then
   * on. Shards that do not answer are left for later.
   * @throws ForeignRedis if a shard belongs to another installation; else the first error, if no
   *   shard answers
   */
  async acquire(shards: readonly number[] = this.keys.shards): Promise<void> {
    if (this.owner === '') return;
    const failures: unknown[] = [];
    for (const shard of shards)
      await this.acquireShard(shard).catch((error: unknown) => {
        if (error instanceof ForeignRedis) throw error;
        failures.push(error);
      });
    if (failures.length > 0 && failures.length === shards.length) throw failures[0];
  }

  private async acquireShard(shard: number): Promise<void> {
    if ((await this.ownerOf(shard)) === null) await this.acquireNobodys(shard);
    this.recognize([await this.ownerOf(shard)]);
  }

  /** Withdraws the trust first: a process that dies in between leaves a shard without an owner. */
  private async acquireNobodys(shard: number): Promise<void> {
    await this.redis.unlink(this.keys.trust(shard));
    if (!isCluster(this.redis)) await this.redis.unlink(FORMER_SERVER_KEY, FORMER_HISTORY_KEY);
    await this.redis.set(this.keys.installation(shard), this.owner, 'NX');
  }

  private ownerOf(shard: number): Promise<string | null> {
    return this.redis.get(this.keys.installation(shard));
  }

  /** @throws ForeignRedis unless each of them is ours or has no owner */
  recognize(owners: readonly unknown[]): void {
    this.foreign = !owners.every((owner) => this.isOurs(owner));
    if (this.foreign) throw new ForeignRedis();
  }

  private isOurs(owner: unknown): boolean {
    return this.owner === '' || owner === null || owner === this.owner;
  }

  fenced(definition: ScriptDefinition): FencedScript {
    const script = this.script(definition, { fenced: true });
    return (shard, keys, args) =>
      this.onOwn(shard, () => script.run([...keys, this.keys.installation(shard)], [...args, this.owner]));
  }

  /**
   * A script that is run once more after {@link removeMistyped}, if one of its keys holds another type
   * than ours: such a key would fail every tap, sweep and close that touches it.
   */
  script(definition: ScriptDefinition, { fenced = false } = {}): Script {
    const mend = (keys: readonly string[]) => this.removeMistyped(this.keys.shardOfKey(keys[0]!), keys);
    return new Script(this.redis, definition, { fenced, mend });
  }

  /** Runs commands on keys of a shard, and once more after {@link removeMistyped}, as a {@link script}. */
  async repairing<T>(shard: number, keys: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isMistyped(error) || !(await this.removeMistyped(shard, keys))) throw error;
      return work();
    }
  }

  /** Returns whether there was such a key among these. */
  async removeMistyped(shard: number, keys: readonly string[]): Promise<boolean> {
    const typed = keys.filter((key) => this.keys.typeOf(key) !== undefined);
    const script = new Script(this.redis, repairScripts.removeMistyped, { fenced: true });
    const args = [...typed.map((key) => this.keys.typeOf(key)!), this.owner];
    const removed = await this.onOwn(shard, () =>
      script.run([...typed, this.keys.installation(shard)], args),
    );
    const positions = removed as number[];
    if (positions.length > 0) this.noteRemoved(positions.map((position) => typed[position - 1]!));
    return positions.length > 0;
  }

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
   * Returns the answers of commands that only read, all in one slot, because a cluster's client can follow
   * only one redirection. The owner is read before and after them, because a server with full memory refuses
   * transactions.
   * @throws ForeignRedis instead of data that another installation has written
   */
  async read(shard: number, ask: (pipeline: ChainableCommander) => ChainableCommander): Promise<unknown[]> {
    const installation = this.keys.installation(shard);
    const asked = ask(this.redis.pipeline().get(installation)).get(installation);
    const [before, ...replies] = repliesOf(await asked.exec());
    this.requireOwn(before, replies.pop());
    return replies;
  }

  /** @throws ForeignRedis unless each owner that was read is ours, or missing */
  requireOwn(...owners: unknown[]): void {
    if (owners.every((owner) => this.isOurs(owner))) return;
    this.foreign = true;
    throw new ForeignRedis();
  }
}
