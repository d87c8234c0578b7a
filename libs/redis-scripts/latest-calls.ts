import type { FencedScript, OwnRedis } from './own-redis';
import type { ScriptDefinition } from './script-header';

export const callScripts = {
  note: { name: 'note-call', keys: 'calls lastCalls', args: 'kept channelId call', returns: 'nothing' },
  latest: { name: 'latest-calls', keys: 'calls lastCalls', args: 'none', returns: 'call*' },
} satisfies Record<string, ScriptDefinition>;

/** More than the workers that have recorded calls but not yet noted them. */
const KEPT = 64;

const SHARD = 0;

/**
 * The newest calls of payout channels, and the last call of each, as text. Redis still knows them if Postgres
 * has lost them.
 */
export class LatestCalls {
  private readonly scripts: Record<keyof typeof callScripts, FencedScript>;

  constructor(private readonly own: OwnRedis) {
    this.scripts = own.fencedAll(callScripts);
  }

  async note(channelId: string, call: string): Promise<void> {
    await this.scripts.note(SHARD, this.keys, [KEPT, channelId, call]);
  }

  /** Returns the newest first. Fails where nothing could be noted. */
  async all(): Promise<string[]> {
    return (await this.scripts.latest(SHARD, this.keys, [])) as string[];
  }

  private get keys(): string[] {
    const { keys } = this.own;
    return [keys.calls(SHARD), keys.lastCalls(SHARD)];
  }
}
