import { ApiProperty } from '@nestjs/swagger';
import { CurrencyQuery, IsOneOf, Omittable } from '../../platform/http';
import { TRANSFER_KINDS, type TransferKind } from '../../core/wallet';
import { type Format, FORMATS } from './statement';

export class WalletStatementQuery {
  @CurrencyQuery('The currency of the wallet, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @Omittable({
    enum: FORMATS,
    description: 'Like `Accept`, for use by people. The parameter takes precedence if both are present.',
  })
  @IsOneOf(FORMATS)
  readonly format?: Format;
}

export class MovementDto {
  @ApiProperty({ example: '17' })
  readonly transferId!: string;

  @ApiProperty({ enum: TRANSFER_KINDS })
  readonly kind!: TransferKind;

  @ApiProperty({ example: '-7.10', description: 'Negative if the wallet paid.' })
  readonly amount!: string;

  @ApiProperty({
    enum: ['activity', 'outside', 'payout'],
    description: 'Where the money came from or went. No person is named.',
  })
  readonly counterparty!: 'activity' | 'outside' | 'payout';

  @ApiProperty({ type: String, nullable: true, example: '1' })
  readonly activityId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly payoutId!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({
    example: false,
    description:
      'True if it is dated before the day, for example because it was posted after its own day was issued.',
  })
  readonly isLate!: boolean;

  @ApiProperty({
    required: false,
    example: false,
    description:
      'True if it is dated after the day, as happens when a clock was set. Absent in statements of the first version.',
  })
  readonly isEarly?: boolean;
}

export class StatementDto {
  @ApiProperty({ example: '42', description: 'The number of the account.' })
  readonly account!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ format: 'date', example: '2031-02-03', description: 'UTC.' })
  readonly day!: string;

  @ApiProperty({ example: '20.00', description: 'The closing balance of the day before.' })
  readonly opening!: string;

  @ApiProperty({ example: '12.90', description: 'The opening balance and all movements.' })
  readonly closing!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Number of movements.' })
  readonly count!: number;

  @ApiProperty({ format: 'date-time', description: 'When it was first requested.' })
  readonly issuedAt!: string;

  @ApiProperty({ type: [MovementDto], description: 'In the order of the ledger.' })
  readonly movements!: MovementDto[];
}
