import type { DrawOutcome } from '../../../../libs/redis-scripts';
import type { RedisTrust } from '../../dispenser';
import type { Admitted } from '../admission/admission-rules';

export interface Tap extends Admitted {
  readonly activityId: string;
  readonly userId: string;
  /** The moment of joining the waiting list, if a packet is looked for on the user's behalf. */
  readonly waitedSince?: string;
}

/** The shard that gave an answer, and how far Redis may be believed there. */
export interface Ground {
  readonly shard: number;
  /** True if Redis would know a win of this user. */
  knowsWinner(): boolean;
  /** True if Redis has forgotten nothing of the activity. */
  isTrusted(): boolean;
  /** True if an unconfirmed packet may be named: the user can hold no forgotten one. */
  namesRightly(): boolean;
  /** True if a packet that Redis calls confirmed has a claim in Postgres. */
  isSameHistory(): boolean;
}

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
