import type { SentUser } from './confirmed-claim';
import type { FencedScript, OwnRedis } from './own-redis';
import type { Place } from './redis-keys';
import type { ScriptDefinition } from './script-header';

export const sentOnScripts = {
  note: { name: 'note-sent-on', keys: 'sentOn', args: 'how (userId part)*', returns: 'noted' },
} satisfies Record<string, ScriptDefinition>;

/**
 * `known`: Postgres has the claims of these users; `new`: only users who were not sent on before;
 * `none`: their notes are removed.
 */
export type NoteHow = 'known' | 'new' | 'none';

/** Notes in users' home parts: the user may hold a packet in another part. */
export class SentOnNotes {
  private readonly script: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.script = own.fenced(sentOnScripts.note);
  }

  async note(home: Place, users: readonly SentUser[], how: NoteHow): Promise<void> {
    if (users.length === 0) return;
    const fields = users.flatMap(({ userId, part }) => [userId, part]);
    await this.script(home.shard, [this.own.keys.at(home).sentOn], [how, ...fields]);
  }
}
