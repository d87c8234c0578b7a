import type { Redis } from 'ioredis';
import { answersOf } from './answers';
import { keySlot } from './key-slot';
import { isCluster, type RedisClient } from './redis-client';
import { PROBE_KEY, probeKey } from './redis-keys';
import { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const serverScripts = {
  facts: {
    name: 'server-facts',
    keys: 'any',
    args: 'none',
    returns: 'nowMs evictionPolicy usedMemory maxMemory',
  },
  scan: { name: 'scan-keys', keys: 'any', args: 'cursor pattern countMax', returns: 'cursor key*' },
} satisfies Record<string, ScriptDefinition>;

const SCANNED_AT_ONCE = 1_000;

export interface ServerFacts {
  /** Its clock. */
  readonly nowMs: number;
  readonly evictionPolicy: string;
  /** The used share of `maxmemory`; 0 if there is no limit. */
  readonly memoryShare: number;
}

/**
 * The servers behind a connection: a single one, or every master of a cluster. A question to a
 * server uses a key that it holds, so that a cluster's redirections work.
 */
export class Servers {
  private static readonly known = new WeakMap<RedisClient, Servers>();
  private readonly factsScript: Script;
  private readonly scanScript: Script;
  private readonly connections = new Map<string, number>();
  private connectionCount = 0;

  /** The only instance for a connection, because it listens to the connection. */
  static behind(redis: RedisClient): Servers {
    let servers = Servers.known.get(redis);
    if (!servers) Servers.known.set(redis, (servers = new Servers(redis)));
    return servers;
  }

  private constructor(private readonly redis: RedisClient) {
    this.factsScript = new Script(redis, serverScripts.facts);
    this.scanScript = new Script(redis, serverScripts.scan);
    if (isCluster(redis))
      redis.on('-node', ({ options }: Redis) => this.lose(`${options.host}:${options.port}`));
    else redis.on('close', () => this.lose(''));
  }

  /** Returns one key for each server that holds slots. */
  get keys(): string[] {
    if (!isCluster(this.redis)) return [PROBE_KEY];
    const slots = new Map<string, number>();
    this.redis.slots.forEach(([server], slot) => {
      if (server !== undefined && !slots.has(server)) slots.set(server, slot);
    });
    return Array.from(slots.values(), probeKey);
  }

  /** Returns one key for each server that holds any of `keys`. */
  oneOfEach(keys: readonly string[]): string[] {
    return [...new Map(keys.map((key) => [this.serverOf(key), key])).values()];
  }

  /** `host:port`, as far as this process knows; nothing if there is only one server. */
  serverOf(key: string): string {
    return this.serverOfSlot(keySlot(key));
  }

  /** The number of the connection to a slot's server. A loss or a new server changes it. */
  connectionTo(slot: number): number {
    const server = this.serverOfSlot(slot);
    let connection = this.connections.get(server);
    if (connection === undefined) this.connections.set(server, (connection = ++this.connectionCount));
    return connection;
  }

  async facts(key: string): Promise<ServerFacts> {
    const reply = (await this.factsScript.run([key], [])) as [number, string, number, number];
    const [nowMs, evictionPolicy, used, max] = reply;
    return { nowMs, evictionPolicy, memoryShare: max === 0 ? 0 : used / max };
  }

  factsOfAll(): Promise<ServerFacts[]> {
    return answersOf(this.keys.map((key) => this.facts(key)));
  }

  /** The clock that is behind all others, in seconds since 1970. */
  async earliestSeconds(): Promise<number> {
    const facts = await this.factsOfAll();
    return Math.min(...facts.map(({ nowMs }) => nowMs)) / 1_000;
  }

  /** @throws unless every server answers */
  async expectAll(): Promise<void> {
    await Promise.all(this.keys.map((key) => this.redis.exists(key)));
  }

  /** Yields the names of a pattern's keys on this key's server, page by page; some twice. */
  async *scan(key: string, pattern: string): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const reply = await this.scanScript.run([key], [cursor, pattern, SCANNED_AT_ONCE]);
      const [next, keys] = reply as [string, string[]];
      cursor = next;
      yield keys;
    } while (cursor !== '0');
  }

  private serverOfSlot(slot: number): string {
    return isCluster(this.redis) ? (this.redis.slots[slot]?.[0] ?? '') : '';
  }

  private lose(server: string): void {
    this.connections.delete(server);
  }
}
