import type { Currency } from '../../../libs/money';
import { redPacketId } from '../../../libs/red-packet-id';
import type { ClaimRow } from '../../core/winners';
import type { ClaimLineDto, PayoutLineDto, ResultLineDto, TransferLineDto } from './export.dto';
import type { PaidOutRow } from '../payout';
import type { CreditRow, PacketRow, TransferRow } from './export.repository';

export const EXPORT_KINDS = ['claims', 'ledger', 'payouts', 'results'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** The columns of CSV, in their order. */
export const COLUMNS = {
  claims: [
    'claimId',
    'redPacketId',
    'userId',
    'amount',
    'currency',
    'settlement',
    'confirmedAt',
    'creditedAt',
  ] satisfies (keyof ClaimLineDto)[],
  ledger: [
    'transferId',
    'kind',
    'from',
    'to',
    'amount',
    'currency',
    'claimId',
    'at',
  ] satisfies (keyof TransferLineDto)[],
  payouts: [
    ...(['claimId', 'userId', 'amount', 'currency', 'state', 'payoutId', 'externalId', 'endedAt'] as const),
  ] satisfies (keyof PayoutLineDto)[],
  results: [
    'redPacketId',
    'amount',
    'currency',
    'outcome',
    'userId',
    'confirmedAt',
  ] satisfies (keyof ResultLineDto)[],
} satisfies Record<ExportKind, string[]>;

/** The fields of a DTO as an object that code may read by field names. */
type Line<Dto> = { readonly [Field in keyof Dto]: Dto[Field] };

/** The lines of an activity, whose currency all its amounts have. */
export class ExportLines {
  constructor(private readonly currency: Currency) {}

  claim(claim: ClaimRow): Line<ClaimLineDto> {
    return {
      claimId: claim.id,
      redPacketId: redPacketId(claim.activityId, claim.packetNo),
      userId: claim.userId,
      ...this.money(claim),
      settlement: claim.settlement,
      confirmedAt: claim.confirmedAt.toISOString(),
      creditedAt: claim.creditedAt?.toISOString() ?? null,
    };
  }

  transfer(transfer: TransferRow | CreditRow): Line<TransferLineDto> {
    return {
      transferId: transfer.id,
      kind: transfer.kind,
      from: transfer.from,
      to: transfer.to,
      ...this.money(transfer),
      claimId: 'claimId' in transfer ? transfer.claimId : null,
      at: transfer.at.toISOString(),
    };
  }

  payout({ claimId, userId, state, payoutId, externalId, endedAt, ...row }: PaidOutRow): Line<PayoutLineDto> {
    const { amount, currency } = this.money(row);
    const at = endedAt?.toISOString() ?? null;
    return { claimId, userId, amount, currency, state, payoutId, externalId, endedAt: at };
  }

  result(activityId: string, packet: PacketRow, claim: ClaimRow | undefined): Line<ResultLineDto> {
    return {
      redPacketId: redPacketId(activityId, packet.no),
      ...this.money(packet),
      outcome: claim?.settlement ?? 'unclaimed',
      userId: claim?.userId ?? null,
      confirmedAt: claim?.confirmedAt.toISOString() ?? null,
    };
  }

  private money({ amountMinor }: { readonly amountMinor: bigint }): { amount: string; currency: string } {
    return { amount: this.currency.format(amountMinor), currency: this.currency.code };
  }
}
