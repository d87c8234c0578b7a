import type { SentUser } from './confirmed-claim';
import type { FencedScript, OwnRedis } from './own-redis';
import type { Place } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const sentOnScripts = {
  note: {
    name: 'note-sent-on',
    keys: 'sentOn',
    args: 'how (userId part)*',
    returns: 'noted',
  },
} satisfies Record<string, ScriptDefinition>;

/** Notes in home parts of users that they may hold a packet elsewhere. */
export class SentOnNotes {
  private readonly script: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.script = own.fenced(sentOnScripts.note);
  }

  /** `known`: Postgres has their claims; `new`: only users who were not sent on before. */
  async note(home: Place, users: readonly SentUser[], how: 'known' | 'new'): Promise<void> {
    if (users.length === 0) return;
    const fields = users.flatMap(({ userId, part }) => [userId, part]);
    await this.script(home.shard, [this.own.keys.at(home).sentOn], [how, ...fields]);
  }
}
