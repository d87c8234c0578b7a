import type { Packet } from './packet';
import { homeOf } from './rain-parts';

/** A claim that Postgres holds, as Redis is told of it. */
export interface ConfirmedClaim {
  readonly activityId: string;
  readonly userId: string;
  /** The part in which the packet lies; 0 unless the activity is dealt over several. */
  readonly part?: number;
  readonly packet: Packet;
}

export function byActivity(claims: readonly ConfirmedClaim[]): Map<string, ConfirmedClaim[]> {
  const groups = new Map<string, ConfirmedClaim[]>();
  for (const claim of claims) {
    const group = groups.get(claim.activityId);
    if (group) group.push(claim);
    else groups.set(claim.activityId, [claim]);
  }
  return groups;
}

/** A user who may hold a packet in another part than the one that they ask first. */
export interface AwayUser {
  readonly userId: string;
  readonly part: number;
}

/** What one part has to know of claims: those of its own packets, and whose of its users have packets elsewhere. */
export interface PartShare {
  readonly own: readonly ConfirmedClaim[];
  readonly away: readonly AwayUser[];
}

export function shareOf(claims: readonly ConfirmedClaim[], part: number, parts: number): PartShare {
  if (parts === 1) return { own: claims, away: [] };
  const own = claims.filter((claim) => (claim.part ?? 0) === part);
  const others = claims.filter((claim) => (claim.part ?? 0) !== part);
  const away = others.filter(({ activityId, userId }) => homeOf(activityId, userId, parts) === part);
  return { own, away: away.map(({ userId, part: where = 0 }) => ({ userId, part: where })) };
}
