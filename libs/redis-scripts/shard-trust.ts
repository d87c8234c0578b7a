import { answersOf } from './answers';
import type { FencedScript, OwnRedis } from './own-redis';
import { isCluster } from './redis-client';
import { FORMER_HISTORY_KEY, FORMER_SERVER_KEY } from './redis-keys';
import type { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const trustScripts = {
  notes: {
    name: 'shard-notes',
    keys: '(installation trust)*',
    args: 'none',
    returns: 'serverId (owner server history flushed)*',
  },
  raiseMark: { name: 'raise-mark', keys: 'trust', args: 'history flushed', returns: 'raised' },
} satisfies Record<string, ScriptDefinition>;

/** Its history, and how far it has advanced, as 16 hex digits. */
export interface PostgresMark {
  readonly history: string;
  readonly flushed: string;
}

export interface ShardNotes {
  readonly shard: number;
  /** Null if it belongs to no installation. */
  readonly owner: string | null;
  /** The server that holds it; see `lua/shard-notes.lua`. */
  readonly serverId: string;
  /** It was given all claims since it came to this server. */
  readonly isTrusted: boolean;
  /** The position up to which, at least, it was given the history of Postgres. */
  readonly mark?: PostgresMark;
}

/** The notes of shards about their own memory (decision 17). */
export class ShardTrust {
  private readonly notesScript: Script;
  private readonly raiseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.notesScript = own.script(trustScripts.notes);
    this.raiseScript = own.fenced(trustScripts.raiseMark);
  }

  /**
   * True if all shards were given all claims since they came to their servers. A server that has
   * restarted, or a promoted replica, may have lost its last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    const notes = await Promise.all(this.reads());
    return notes.flat().every(({ isTrusted }) => isTrusted);
  }

  /** Returns the notes of the shards that answer. */
  async notes(): Promise<ShardNotes[]> {
    return (await answersOf(this.reads())).flat();
  }

  async notesOf(shard: number): Promise<ShardNotes> {
    return (await this.read([shard]))[0]!;
  }

  /** Asks a single server once about all shards. A master of a cluster answers for one slot at a time. */
  private reads(): Promise<ShardNotes[]>[] {
    const { redis, keys } = this.own;
    return isCluster(redis) ? keys.shards.map((shard) => this.read([shard])) : [this.read(keys.shards)];
  }

  private async read(shards: readonly number[]): Promise<ShardNotes[]> {
    const [serverId, ...notes] = await this.readNotes(shards);
    return notes.map(([owner, server, history, flushed], i) => {
      const mark = history && flushed ? { history, flushed } : undefined;
      return { shard: shards[i]!, owner, serverId, isTrusted: server === serverId, mark };
    });
  }

  protected async readNotes(shards: readonly number[]): Promise<NotesReply> {
    const keys = shards.flatMap((shard) => [this.own.keys.installation(shard), this.own.keys.trust(shard)]);
    return (await this.notesScript.run(keys, [])) as NotesReply;
  }

  /**
   * Takes over the notes of an older version, so that an upgrade does not load everything again.
   * They stay: programs of that version may be running. None has ever run on a cluster.
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

  /** `server` is the one that the shard was on before it was given all claims. */
  async grant(shard: number, server: string, { history, flushed }: PostgresMark): Promise<void> {
    await this.own.redis.hset(this.own.keys.trust(shard), { server, history, flushed });
  }

  /** Postgres has lost commits, and may soon have written as many others: only a grant ends this. */
  async markLost(shard: number, { history }: PostgresMark): Promise<void> {
    await this.own.redis.hset(this.own.keys.trust(shard), { history: `lost ${history}` });
  }

  async raiseMark(shard: number, { history, flushed }: PostgresMark): Promise<void> {
    await this.raiseScript(shard, [this.own.keys.trust(shard)], [history, flushed]);
  }
}

/** The reply of `lua/shard-notes.lua`. */
export type NotesReply = [
  serverId: string,
  ...notes: [owner: string | null, server: string | null, history: string | null, flushed: string | null][],
];
