import { ApiProperty } from '@nestjs/swagger';
import {
  CurrencyQuery,
  exampleInstant,
  IsOneOf,
  IsPersonId,
  IsText,
  Omittable,
  PageQuery,
  personIdSchema,
} from '../../platform/http';
import { TRANSFER_KINDS, type TransferKind } from './account';
import { REFERENCE_LENGTH_MAX } from './wallet.dto';

const STATUSES = ['active', 'frozen'] as const;
const ACCOUNT_KINDS = ['wallet', 'escrow', 'outbound', 'funding'] as const;

export class WalletsQuery extends PageQuery {
  @Omittable({ ...personIdSchema, description: 'Only wallets of owners whose id begins with this.' })
  @IsPersonId()
  readonly ownerId?: string;

  @Omittable({ enum: STATUSES, description: 'Only wallets in this state.' })
  @IsOneOf(STATUSES)
  readonly status?: (typeof STATUSES)[number];

  @CurrencyQuery('The currency of the wallets, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class ListedWalletDto {
  @ApiProperty({ example: 'u1' })
  readonly ownerId!: string;

  @ApiProperty({ example: '12.34' })
  readonly balance!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ enum: STATUSES })
  readonly status!: (typeof STATUSES)[number];

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class SponsorsQuery extends PageQuery {
  @Omittable({ ...personIdSchema, description: 'Only sponsors whose id begins with this.' })
  @IsPersonId()
  readonly sponsorId?: string;

  @CurrencyQuery('The currency of the wallets and activities, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class SponsorDto {
  @ApiProperty({ example: 'shop' })
  readonly sponsorId!: string;

  @ApiProperty({ example: '1000.00', description: 'The balance of the wallet.' })
  readonly balance!: string;

  @ApiProperty({ example: '500.00', description: 'The money in activities that have not ended.' })
  readonly inActivities!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 2, description: 'Activities that have not ended.' })
  readonly activities!: number;

  @ApiProperty({ enum: STATUSES, description: 'The state of the wallet.' })
  readonly status!: (typeof STATUSES)[number];
}

export class DepositsQuery extends PageQuery {
  @ApiProperty({
    maxLength: REFERENCE_LENGTH_MAX,
    description: 'The whole reference, as it was given with the deposit.',
  })
  @IsText({ min: 1, max: REFERENCE_LENGTH_MAX })
  readonly reference!: string;
}

export class AccountNameDto {
  @ApiProperty({ enum: ACCOUNT_KINDS })
  readonly kind!: (typeof ACCOUNT_KINDS)[number];

  @ApiProperty({
    example: 'u1',
    description: 'A user; for an escrow its activity, for an outbound account its payout channel.',
  })
  readonly ownerId!: string;
}

export class TransferDto {
  @ApiProperty({ example: '17' })
  readonly transferId!: string;

  @ApiProperty({ enum: TRANSFER_KINDS })
  readonly kind!: TransferKind;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: AccountNameDto })
  readonly from!: AccountNameDto;

  @ApiProperty({ type: AccountNameDto })
  readonly to!: AccountNameDto;

  @ApiProperty({ type: String, nullable: true, example: '1' })
  readonly activityId!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reference given with the deposit. Null if there was none, and for all other kinds.',
  })
  readonly reference!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;
}
