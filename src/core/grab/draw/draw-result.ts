import { type DrawOutcome, isHeldSince, type Reservation } from '../../../../libs/redis-scripts';
import type { RedisTrust } from '../../dispenser';

export interface Tap {
  readonly activityId: string;
  readonly userId: string;
  /** A win is to be held. */
  readonly hold: boolean;
  /** The moment of joining the waiting list, if a packet is looked for on the user's behalf. */
  readonly waitedSince?: string;
}

/** The shard that answered a draw, and how far Redis may be trusted there. */
export interface DrawSource {
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

export interface DrawResult<Outcome = Exclude<DrawOutcome, { kind: 'parts' }>> {
  readonly outcome: Outcome;
  readonly source: DrawSource;
}

/** The user has a packet: a new one, or that of an earlier tap. */
export type DrawnPacket = Extract<DrawOutcome, { kind: 'won' | 'already' }>;

/** Users who have waited joined the list on the terms of that moment, so their wins may have to be held. */
export function reservationOf(
  { activityId, userId, hold: isHeld }: Tap,
  outcome: DrawnPacket,
  shard: number,
): Reservation {
  const { entry, waitedSince } = outcome.kind === 'won' ? outcome : {};
  const hold = isHeld || isHeldSince(waitedSince);
  return { activityId, userId, packet: outcome.packet, shard, entry, waitedSince, hold };
}

/** The source for activities that one shard holds. */
export class SingleShard implements DrawSource {
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
