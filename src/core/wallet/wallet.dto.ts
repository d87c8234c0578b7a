import { ApiProperty } from '@nestjs/swagger';
import { TRANSFER_KINDS, type TransferKind } from './account';
import {
  CurrencyField,
  CurrencyQuery,
  IsId,
  IsInstant,
  IsMoney,
  IsOneOf,
  IsText,
  Omittable,
  PageQuery,
} from '../../platform/http';

export const REFERENCE_LENGTH_MAX = 140;

const REASON_LENGTH_MAX = 500;

export class DepositBody {
  @ApiProperty({ example: '1000.00', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @Omittable({
    example: 'Bank transfer 2031-02-01/0042',
    minLength: 1,
    maxLength: REFERENCE_LENGTH_MAX,
    description:
      'The reference of the money in another system. It is stored with the deposit and need not be unique.',
  })
  @IsText({ min: 1, max: REFERENCE_LENGTH_MAX })
  readonly reference?: string;

  @CurrencyField('The currency of the amount, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class WalletQuery {
  @CurrencyQuery('The currency of the wallet, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class DepositDto {
  @ApiProperty({ example: '17', description: 'The ledger row.' })
  readonly transferId!: string;

  @ApiProperty({ example: '1000.00', description: 'Balance of the wallet after the deposit.' })
  readonly balance!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Bank transfer 2031-02-01/0042',
    description: 'The reference given with the deposit. Null if there was none, and for all other kinds.',
  })
  readonly reference!: string | null;
}

export class ReverseDepositBody {
  @ApiProperty({ example: 'Deposited twice by mistake.', maxLength: REASON_LENGTH_MAX })
  @IsText({ min: 3, max: REASON_LENGTH_MAX })
  readonly reason!: string;
}

export class ReversalDto {
  @ApiProperty({ example: '21', description: 'The ledger row of the reversal.' })
  readonly transferId!: string;

  @ApiProperty({ example: '17', description: 'The ledger row of the deposit.' })
  readonly reverses!: string;

  @ApiProperty({ example: '1000.00', description: 'The whole amount of the deposit.' })
  readonly amount!: string;

  @ApiProperty({ example: '0.00', description: 'Balance of the wallet after the reversal.' })
  readonly balance!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;
}

export class MyWalletDto {
  @ApiProperty({ example: '12.34' })
  readonly balance!: string;

  @ApiProperty({ example: '7.10', description: 'Won and on its way into the balance.' })
  readonly pending!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;
}

export class WalletDto extends MyWalletDto {
  @ApiProperty({ example: 'u1' })
  readonly ownerId!: string;

  @ApiProperty({
    enum: ['active', 'frozen'],
    description:
      'A frozen wallet accepts neither credits nor deposits and cannot fund activities; refunds still reach it.',
  })
  readonly status!: 'active' | 'frozen';

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description:
      'When the wallet was created, by its first money or by a freeze. Null if the owner has no wallet.',
  })
  readonly createdAt!: string | null;
}

export class WalletListDto {
  @ApiProperty({ type: [MyWalletDto] })
  readonly items!: MyWalletDto[];
}

export class EntriesQuery extends PageQuery {
  @CurrencyQuery('The currency of the wallet, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @Omittable({ description: 'Only lines of this activity.' })
  @IsId()
  readonly activityId?: string;

  @Omittable({ enum: TRANSFER_KINDS, description: 'Only lines of this kind.' })
  @IsOneOf(TRANSFER_KINDS)
  readonly kind?: TransferKind;

  @Omittable({ format: 'date-time', description: 'Only lines from this moment on.' })
  @IsInstant()
  readonly from?: string;

  @Omittable({ format: 'date-time', description: 'Only lines before this moment.' })
  @IsInstant()
  readonly to?: string;
}

export class EntryDto {
  @ApiProperty({ example: '17' })
  readonly transferId!: string;

  @ApiProperty({ enum: TRANSFER_KINDS })
  readonly kind!: TransferKind;

  @ApiProperty({ example: '-7.10', description: 'Negative if the wallet paid.' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ example: '1', nullable: true, type: String })
  readonly activityId!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Bank transfer 2031-02-01/0042',
    description: 'The reference given with the deposit. Null if there was none, and for all other kinds.',
  })
  readonly reference!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The deposit that this reversal has taken back; null for all other kinds.',
  })
  readonly reverses!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The reversal that has taken this deposit back; null while none has, and for all other kinds.',
  })
  readonly reversedBy!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;
}
