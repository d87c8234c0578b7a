import type { DrawOutcome } from '../../../libs/redis-scripts';
import type { RedisTrust } from '../dispenser';

/** The ground of an answer: the shard that gave it, and how far Redis may be believed there. */
export interface Ground {
  /** The shard that answered. */
  readonly shard: number;
  /** Returns whether Redis would know a win of this user. */
  knowsWinner(): boolean;
  /** Returns whether Redis has forgotten nothing of the activity. */
  isTrusted(): boolean;
  /**
   * Returns whether an unconfirmed packet may be named: nothing was forgotten where the user may
   * hold another one.
   */
  namesRightly(): boolean;
  /** Returns whether a packet that Redis calls confirmed has a claim in Postgres. */
  isSameHistory(): boolean;
}

/** The outcome of a tap, and the ground of that answer. */
export interface Drawn<T = Exclude<DrawOutcome, { kind: 'parts' }>> {
  readonly outcome: T;
  readonly ground: Ground;
}

/** The ground of activities that one shard holds. */
export class OneShard implements Ground {
  readonly shards: readonly number[];

  constructor(
    readonly shard: number,
    private readonly trust: RedisTrust,
  ) {
    this.shards = [shard];
  }

  knowsWinner(): boolean {
    return this.isTrusted();
  }

  isTrusted(): boolean {
    return this.trust.trusts(this.shard);
  }

  namesRightly(): boolean {
    return this.isTrusted();
  }

  isSameHistory(): boolean {
    return this.trust.hasSameHistory(this.shard);
  }
}
