import type { Packet } from './packet';

/** A claim that Postgres holds, as Redis is told of it. */
export interface ConfirmedClaim {
  readonly activityId: string;
  readonly userId: string;
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
