import type { OwnRedis } from './own-redis';
import type { Window } from './rain-loading';
import type { Place, RedisKeys } from './redis-keys';
import type { ScriptDefinition } from './script-header';
import { stateFormat } from './state-format';

export const closingScripts = {
  close: {
    name: 'close',
    keys: 'state gate packets claims',
    args: 'ending when opensAt closesAt birth parts stateFormat',
    returns: 'ending',
  },
  discardPackets: {
    name: 'discard-packets',
    keys: 'state gate packets waitlist',
    args: 'none',
    returns: 'status',
  },
  tidyUp: { name: 'tidy-up', keys: 'state claims', args: 'claimCount', returns: 'status' },
} satisfies Record<string, ScriptDefinition>;

/** A newer version of this program has loaded the activity, and only that version may touch it. */
export class NewerActivity extends Error {
  constructor(activityId: string) {
    super(`Activity ${activityId} is held in Redis in the format of a newer version of this program.`);
  }
}

/** The first ending stands. */
export type Ending = 'closed' | 'cancelled';

export type CloseWhen = 'any-time' | 'before-opening' | 'after-closing';

/** Ends an activity in Redis, and leaves the data that answers late taps. */
export class RainClosing {
  private readonly keys: RedisKeys;
  private readonly scripts;

  constructor(own: OwnRedis) {
    this.keys = own.keys;
    this.scripts = own.fencedAll(closingScripts);
  }

  /**
   * Refuses further grabs; undefined if the server's clock does not allow it (see `lua/close.lua`).
   *
   * @throws NewerActivity
   */
  async close(
    place: Place,
    when: CloseWhen,
    window: Window,
    ending: Ending = when === 'before-opening' ? 'cancelled' : 'closed',
  ): Promise<Ending | undefined> {
    const { opensAtMs, closesAtMs, birth = '', parts = 1 } = window;
    const { gate, state, packets, claims } = this.keys.at(place);
    const stands = await this.scripts.close(
      place.shard,
      [state, gate, packets, claims],
      [ending, when, opensAtMs, closesAtMs, birth, parts, stateFormat(window)],
    );
    if (stands === 'newer') throw new NewerActivity(place.id);
    return stands === 'not-now' ? undefined : (stands as Ending);
  }

  /** Stops all drawing from an activity that has ended in Postgres. Needs no memory itself. */
  async discardPackets(place: Place): Promise<void> {
    const { state, gate, packets, waitlist } = this.keys.at(place);
    await this.scripts.discardPackets(place.shard, [state, gate, packets, waitlist], []);
  }

  /** Ends tidying up, once all `claimCount` claims are written; they stay, to answer late taps. */
  async tidyUp(place: Place, claimCount: number): Promise<void> {
    const { state, claims } = this.keys.at(place);
    await this.scripts.tidyUp(place.shard, [state, claims], [claimCount]);
  }
}
