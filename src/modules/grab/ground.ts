import type { DrawOutcome } from '../../../libs/redis-scripts';
import type { RedisTrust } from '../dispenser';

/** Where a tap was answered, and how far Redis may be believed there. */
export interface Ground {
  /** The shard that has answered. */
  readonly shard: number;
  /** Whether Redis would know if this user had won. */
  knowsWinner(): boolean;
  /** Whether Redis has forgotten nothing of the activity. */
  isTrusted(): boolean;
  /** Whether an unconfirmed packet may be named: nothing was forgotten where the user may hold another one. */
  namesRightly(): boolean;
  /** Whether a packet that Redis calls confirmed has a claim in Postgres. */
  isSameHistory(): boolean;
}

/** What a tap came to, and the ground of that answer. */
export type Drawn = Exclude<DrawOutcome, { kind: 'parts' }> & { readonly ground: Ground };

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
