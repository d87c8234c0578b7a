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

/** Where Postgres is: in which history, and how far it has come in it, as 16 hex digits. */
export interface PostgresMark {
  readonly history: string;
  readonly flushed: string;
}

/** What a shard knows about itself. */
export interface ShardNotes {
  readonly shard: number;
  /** The installation that it belongs to; null when that is none. */
  readonly owner: string | null;
  /** The server that holds it; see `lua/shard-notes.lua`. */
  readonly serverId: string;
  /** It was told all claims since it came to this server. */
  readonly isTrusted: boolean;
  /** What it was told is the history of Postgres up to here, at least. */
  readonly mark?: PostgresMark;
}

/** What shards note about their own memory: whether they were told everything, and by which Postgres. */
export class ShardTrust {
  private readonly notesScript: Script;
  private readonly raiseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.notesScript = new Script(own.redis, trustScripts.notes);
    this.raiseScript = own.fenced(trustScripts.raiseMark);
  }

  /**
   * Whether all shards remember everything: they were told all claims since they came to their servers. A server that has
   * restarted, or a replica that was promoted, may have lost its last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    const { shards } = this.own.keys;
    const notes = await Promise.all(shards.map((shard) => this.notesOf(shard)));
    return notes.every(({ isTrusted }) => isTrusted);
  }

  /** Of all shards that answer. */
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
   * Takes over what an older version has noted for all shards together, so that an upgrade tells nothing again. Its notes stay:
   * its programs may still be running, or come back. None has ever run on a cluster.
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

  /** To be called when a shard has been told all claims; with the server that it was on before that. */
  async grant(shard: number, server: string, { history, flushed }: PostgresMark): Promise<void> {
    await this.own.redis.hset(this.own.keys.trust(shard), { server, history, flushed });
  }

  /** Notes how far Postgres has come, in the history that the shard was told. */
  async raiseMark(shard: number, { history, flushed }: PostgresMark): Promise<void> {
    await this.raiseScript(shard, [this.own.keys.trust(shard)], [history, flushed]);
  }
}

/** What `lua/shard-notes.lua` returns. */
export type NotesReply = [owner: string | null, serverId: string, ...trust: (string | null)[]];
