import { answersOf } from './answers';
import type { FencedScript, OwnRedis } from './own-redis';
import { isCluster } from './redis-client';
import { FORMER_HISTORY_KEY, FORMER_SERVER_KEY } from './redis-keys';
import { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const trustScripts = {
  notes: {
    name: 'shard-notes',
    keys: 'installation trust',
    args: 'none',
    returns: 'owner serverId server history flushed',
  },
  raiseMark: {
    name: 'raise-mark',
    keys: 'trust',
    args: 'history flushed',
    returns: 'raised',
  },
} satisfies Record<string, ScriptDefinition>;

/** The position of Postgres: its history, and how far it has come in it, as 16 hex digits. */
export interface PostgresMark {
  readonly history: string;
  readonly flushed: string;
}

/** The notes of a shard about itself. */
export interface ShardNotes {
  readonly shard: number;
  /** The installation that it belongs to; null if there is none. */
  readonly owner: string | null;
  /** The server that holds it; see `lua/shard-notes.lua`. */
  readonly serverId: string;
  /** The shard was given all claims since it came to this server. */
  readonly isTrusted: boolean;
  /** The position up to which, at least, the shard was given the history of Postgres. */
  readonly mark?: PostgresMark;
}

/**
 * The notes of shards about their own memory: whether they were given everything, and by which
 * Postgres.
 */
export class ShardTrust {
  private readonly notesScript: Script;
  private readonly raiseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.notesScript = new Script(own.redis, trustScripts.notes);
    this.raiseScript = own.fenced(trustScripts.raiseMark);
  }

  /**
   * Returns whether all shards remember everything: they were given all claims since they came to
   * their servers. A server that has restarted, or a replica that was promoted, may have lost its
   * last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    const { shards } = this.own.keys;
    const notes = await Promise.all(shards.map((shard) => this.notesOf(shard)));
    return notes.every(({ isTrusted }) => isTrusted);
  }

  /** Returns the notes of all shards that answer. */
  notes(): Promise<ShardNotes[]> {
    return answersOf(this.own.keys.shards.map((shard) => this.notesOf(shard)));
  }

  async notesOf(shard: number): Promise<ShardNotes> {
    const [owner, serverId, server, history, flushed] = await this.readNotes(shard);
    const mark = history && flushed ? { history, flushed } : undefined;
    return { shard, owner, serverId, isTrusted: server === serverId, mark };
  }

  protected async readNotes(shard: number): Promise<NotesReply> {
    const keys = [this.own.keys.installation(shard), this.own.keys.trust(shard)];
    return (await this.notesScript.run(keys, [])) as NotesReply;
  }

  /**
   * Takes over the notes that an older version has written for all shards together, so that an
   * upgrade does not load everything again. Those notes stay: programs of that version may still be
   * running, or come back. None has ever run on a cluster.
   */
  async adoptFormer(): Promise<void> {
    const { redis, keys } = this.own;
    if (isCluster(redis)) return;
    const server = await redis.get(FORMER_SERVER_KEY);
    const [history, flushed] = await redis.hmget(FORMER_HISTORY_KEY, 'id', 'flushed');
    if (!server || !history || !flushed) return;
    for (const shard of keys.shards)
      if ((await redis.exists(keys.trust(shard))) === 0)
        await this.grant(shard, server, { history, flushed });
  }

  /**
   * Trusts a shard that has been given all claims. `server` is the one that it was on before that.
   */
  async grant(shard: number, server: string, { history, flushed }: PostgresMark): Promise<void> {
    await this.own.redis.hset(this.own.keys.trust(shard), { server, history, flushed });
  }

  /** Notes how far Postgres has come, in the history that the shard was given. */
  async raiseMark(shard: number, { history, flushed }: PostgresMark): Promise<void> {
    await this.raiseScript(shard, [this.own.keys.trust(shard)], [history, flushed]);
  }
}

/** The reply of `lua/shard-notes.lua`. */
export type NotesReply = [owner: string | null, serverId: string, ...trust: (string | null)[]];
