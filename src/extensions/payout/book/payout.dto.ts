import { ApiProperty } from '@nestjs/swagger';
import type { Currency } from '../../../../libs/money';
import type { Currencies } from '../../../core/currency';
import {
  exampleInstant,
  IsId,
  IsOneOf,
  IsPersonId,
  Omittable,
  type Page,
  PageQuery,
  personIdSchema,
  toPage,
} from '../../../platform/http';
import type { PayoutRow } from './payout.entity';
import { PAYOUT_STATES, type PayoutState } from './payout-state';

export class MyPayoutsQuery extends PageQuery {
  @Omittable({ enum: PAYOUT_STATES, description: 'Only payouts in this state.' })
  @IsOneOf(PAYOUT_STATES)
  readonly state?: PayoutState;
}

export class PayoutsQuery extends MyPayoutsQuery {
  @Omittable({ ...personIdSchema, description: 'Only payouts of this user.' })
  @IsPersonId()
  readonly userId?: string;

  @Omittable({ description: 'Only payouts through this channel.' })
  @IsId()
  readonly channelId?: string;
}

export class PayoutDto {
  @ApiProperty({ example: '42' })
  readonly id!: string;

  @ApiProperty({
    enum: PAYOUT_STATES,
    description:
      '`review`: a second person has to approve it. `reserved`: taken from the wallet. `sending`: the ' +
      'channel is being called. `unknown`: the call had no clear answer, and the channel is asked. `processing` and ' +
      '`needs-user`: the channel has it, or waits for the user. `paid`, `refused` and `returned` end it; after the ' +
      'last two, the money is back in the wallet.',
  })
  readonly state!: PayoutState;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ example: '1' })
  readonly channelId!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'The number under which the channel is asked.' })
  readonly attempt!: number;

  @ApiProperty({ type: String, nullable: true, example: null, description: "The channel's name for it." })
  readonly externalId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The reason for a refusal.' })
  readonly code!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'What the user has to do, while the state is `needs-user`.',
  })
  readonly action!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly endedAt!: string | null;
}

export function toPayoutDto(
  { amountMinor, createdAt, endedAt, ...row }: PayoutRow,
  currency: Currency,
): PayoutDto {
  const { id, state, userId, channelId, attempt, externalId, code, action } = row;
  return {
    id,
    state,
    userId,
    amount: currency.format(amountMinor),
    currency: currency.code,
    channelId,
    attempt,
    externalId,
    code,
    action,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

/** A payout has the currency of the account that it was taken from. */
export const payoutDtoIn = async (row: PayoutRow, currencies: Currencies): Promise<PayoutDto> =>
  toPayoutDto(row, await currencies.ofAccount(row.walletAccountId));

/** @param rows one more than the page has, if there are more */
export async function toPayoutPage(
  rows: readonly PayoutRow[],
  limit: number,
  currencies: Currencies,
): Promise<Page<PayoutDto>> {
  const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
  return { items: await Promise.all(items.map((row) => payoutDtoIn(row, currencies))), nextCursor };
}
