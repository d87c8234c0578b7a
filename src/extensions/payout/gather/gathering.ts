export interface UnsentCredit {
  readonly claimId: string;
  readonly amountMinor: bigint;
}

export interface Bounds {
  readonly smallestMinor: bigint;
  /** No payout may be above the limit of a whole day either. Undefined where there is no limit. */
  readonly largestMinor?: bigint;
  /** How many payouts the user may still take out. */
  readonly payoutsMax: number;
  /** What is left of the user's daily limit; undefined means no limit. */
  readonly roomMinor?: bigint;
}

/** A payout of credits that were unsent. */
export interface GatheredPayout {
  readonly amountMinor: bigint;
  readonly claimIds: readonly string[];
}

export interface Gathered {
  readonly payouts: readonly GatheredPayout[];
  /** Credits that will not leave by themselves. */
  readonly released: readonly string[];
}

/**
 * Makes payouts of the unsent credits of one wallet, oldest first. Credits in neither list stay unsent: they
 * are still too small, or their user may not take out more now.
 *
 * A credit is released when the wallet no longer holds it, because its user has taken it out by
 * hand, and when it alone is above the largest payout.
 */
export function gather(
  credits: readonly UnsentCredit[],
  balanceMinor: bigint,
  { smallestMinor, largestMinor, payoutsMax, roomMinor }: Bounds,
): Gathered {
  const released: string[] = [];
  const groups: { amountMinor: bigint; claimIds: string[] }[] = [];
  const isAbove = (minor: bigint, limit: bigint | undefined) => limit !== undefined && minor > limit;
  let held = 0n;
  for (const { claimId, amountMinor } of credits) {
    if (isAbove(amountMinor, largestMinor) || held + amountMinor > balanceMinor) {
      released.push(claimId);
      continue;
    }
    held += amountMinor;
    const group = groups.at(-1);
    if (group && !isAbove(group.amountMinor + amountMinor, largestMinor)) {
      group.amountMinor += amountMinor;
      group.claimIds.push(claimId);
    } else groups.push({ amountMinor, claimIds: [claimId] });
  }
  let sent = 0n;
  const payouts = groups.filter(({ amountMinor }) => {
    const leaves = amountMinor >= smallestMinor && !isAbove(sent + amountMinor, roomMinor);
    if (leaves) sent += amountMinor;
    return leaves;
  });
  return { payouts: payouts.slice(0, payoutsMax), released };
}
