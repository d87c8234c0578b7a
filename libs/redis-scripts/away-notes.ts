import type { AwayUser } from './confirmed-claim';
import type { FencedScript, OwnRedis } from './own-redis';
import type { ScriptDefinition } from './script-header';

export const awayScripts = {
  note: {
    name: 'note-away',
    keys: 'away',
    args: 'how (userId part)*',
    returns: 'noted',
  },
} satisfies Record<string, ScriptDefinition>;

/** Notes in home parts of users that they may hold a packet elsewhere. */
export class AwayNotes {
  private readonly script: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.script = own.fenced(awayScripts.note);
  }

  /** `known`: Postgres has their claims; `new`: unless they were sent on before. */
  async note(
    activityId: string,
    home: number,
    users: readonly AwayUser[],
    how: 'known' | 'new',
  ): Promise<void> {
    if (users.length === 0) return;
    const { keys } = this.own;
    const shard = keys.shardOf(activityId, home);
    const fields = users.flatMap(({ userId, part }) => [userId, part]);
    await this.script(shard, [keys.away(activityId, shard)], [how, ...fields]);
  }
}
