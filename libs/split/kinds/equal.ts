import type { FixedKind } from './split-kind';

export interface EqualPlan {
  readonly kind: 'equal';
}

/** The remainder of the division is the number of packets that get one unit more. */
export const equal: FixedKind<EqualPlan> = {
  checkPlan: () => undefined,
  publishPlan: () => ({}),
  readPlan: () => ({}),

  amounts({ totalMinor, packetCount }) {
    const share = totalMinor / BigInt(packetCount);
    const larger = Number(totalMinor % BigInt(packetCount));
    return [
      { amountMinor: share + 1n, count: larger },
      { amountMinor: share, count: packetCount - larger },
    ];
  },
};
