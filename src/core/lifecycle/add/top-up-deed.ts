import type { Currency } from '../../../../libs/money';
import type { Activity } from '../../activity';
import type { Deed } from '../../audit';

export interface Addition {
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly packetCount: number;
  readonly replacesClaimId?: string;
  /** Left out if it is the default. */
  readonly currency: string | undefined;
}

/**
 * The audit entry for packets that are added to an activity, whatever adds them.
 * @param activity the activity before the change
 */
export function topUpDeed(
  { id, totalMinor, packetCount }: Activity,
  { amountMinor, packetCount: count, ...detail }: Addition,
  currency: Currency,
): Deed {
  const size = (minor: bigint, packets: number) => ({
    totalAmount: currency.format(minor),
    packetCount: packets,
  });
  return {
    action: 'activity.top-up',
    id,
    before: size(totalMinor, packetCount),
    after: size(totalMinor + amountMinor, packetCount + count),
    detail,
  };
}
