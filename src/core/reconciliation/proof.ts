import type { ActivitySums } from './proof.repository';

export interface ProofCheck {
  readonly name: string;
  readonly holds: boolean;
}

/** 0 after the close, when it has been refunded. */
export function unclaimedMinor(sums: ActivitySums): bigint {
  return sums.status === 'active' ? sums.packetsMinor - sums.claimedMinor : 0n;
}

/**
 * The equations that hold for one activity at every moment. Every figure comes from its own rows
 * (packets, claims, transfers, the escrow's balance): no mistake in one can hide in another.
 */
export function proofChecks(sums: ActivitySums): ProofCheck[] {
  const { fundedMinor, creditedMinor, pendingMinor, deadMinor, voidMinor, refundedMinor } = sums;
  const owed = creditedMinor + pendingMinor + deadMinor + voidMinor + refundedMinor + unclaimedMinor(sums);
  return [
    { name: 'funded = total', holds: fundedMinor === sums.totalMinor },
    { name: 'sum of packets = total', holds: sums.packetsMinor === sums.totalMinor },
    { name: 'number of packets', holds: sums.packets === sums.packetCount },
    { name: 'funded = credited + pending + dead + void + refunded + unclaimed', holds: fundedMinor === owed },
    {
      name: 'escrow = funded - credited - void - refunded',
      holds: sums.escrowMinor === fundedMinor - creditedMinor - voidMinor - refundedMinor,
    },
    { name: 'every claim is credited, pending, dead or void, and only one of them', holds: sums.stray === 0 },
    { name: 'no refund before the close', holds: sums.status !== 'active' || refundedMinor === 0n },
    { name: 'no more claims than packets', holds: sums.claims <= sums.packets },
  ];
}
