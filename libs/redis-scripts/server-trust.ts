import type { FencedScript, OwnRedis } from './own-redis';
import { repliesOf } from './replies';
import type { ScriptDefinition } from './script-header';

export const trustScripts = {
  raiseMark: {
    name: 'raise-mark',
    keys: 'history',
    args: 'id flushed',
    returns: 'raised',
  },
} satisfies Record<string, ScriptDefinition>;

/** Where Postgres is: in which history, and how far it has come in it, as 16 hex digits. */
export interface PostgresMark {
  readonly history: string;
  readonly flushed: string;
}

/** What a server knows about itself. */
export interface ServerNotes {
  readonly serverId: string;
  /** It was told all claims since it started. */
  readonly isTrusted: boolean;
  /** What it was told is the history of Postgres up to here, at least. */
  readonly mark?: PostgresMark;
}

/** What a server notes about its own memory: whether it was told everything since it started, and by which Postgres. */
export class ServerTrust {
  private readonly raiseScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.raiseScript = own.fenced(trustScripts.raiseMark);
  }

  /**
   * Whether this server remembers everything: it was told all claims since it started. A server that has restarted, or
   * a replica that was promoted, may have lost its last moments without knowing it.
   */
  async isTrusted(): Promise<boolean> {
    return (await this.notes()).isTrusted;
  }

  async notes(): Promise<ServerNotes> {
    const [serverId, trusted, [history, flushed]] = await Promise.all([
      this.serverId(),
      this.own.redis.get(this.own.keys.trustedServer()),
      this.own.redis.hmget(this.own.keys.history(), 'id', 'flushed'),
    ]);
    const mark = history && flushed ? { history, flushed } : undefined;
    return { serverId, isTrusted: trusted === serverId, mark };
  }

  /**
   * Identifies a server from its start to its end, or to the moment when it becomes the replica of another one: when it
   * serves again after that, it has missed something.
   */
  async serverId(): Promise<string> {
    const info = await this.own.redis.info();
    const [, run = 'unknown'] = /^run_id:(\w+)/m.exec(info) ?? [];
    const [, replication = 'unknown'] = /^master_replid:(\w+)/m.exec(info) ?? [];
    return `${run}.${replication}`;
  }

  /** To be called when the server has been told all claims; with the id that it had before that. */
  async grant(serverId: string, { history, flushed }: PostgresMark): Promise<void> {
    const noting = this.own.redis.multi().hset(this.own.keys.history(), { id: history, flushed });
    repliesOf(await noting.set(this.own.keys.trustedServer(), serverId).exec());
  }

  /** Notes how far Postgres has come, in the history that the server was told. */
  async raiseMark({ history, flushed }: PostgresMark): Promise<void> {
    await this.raiseScript(0, [this.own.keys.history()], [history, flushed]);
  }
}
