import type { Packet } from './packet';
import { homeOf } from './rain-parts';
import type { Place } from './redis-keys';

/** A claim that Postgres holds, as Redis stores it. */
export interface ConfirmedClaim {
  readonly activityId: string;
  readonly userId: string;
  readonly packet: Packet;
}

export interface PlacedClaim extends ConfirmedClaim {
  readonly part: number;
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

/** A user who may hold a packet in a part other than the one that they ask first. */
export interface SentUser {
  readonly userId: string;
  readonly part: number;
}

/** The claims that a place has to know: those of its packets, and those of its users with packets elsewhere. */
export interface PlaceShare {
  readonly own: readonly PlacedClaim[];
  readonly elsewhere: readonly SentUser[];
}

/** Returns, for each home part, its users with packets elsewhere. */
export function sentFrom(claims: readonly PlacedClaim[], parts: number): SentUser[][] {
  const sent = Array.from({ length: parts }, (): SentUser[] => []);
  for (const { activityId, userId, part } of claims) {
    const home = homeOf(activityId, userId, parts);
    if (home !== part) sent[home]!.push({ userId, part });
  }
  return sent;
}

export function shareOf(claims: readonly PlacedClaim[], { part }: Place, parts: number): PlaceShare {
  if (parts === 1) return { own: claims, elsewhere: [] };
  return { own: claims.filter((claim) => claim.part === part), elsewhere: sentFrom(claims, parts)[part]! };
}
