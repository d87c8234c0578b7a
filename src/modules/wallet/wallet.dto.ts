import { ApiProperty } from '@nestjs/swagger';
import { IsMoney } from '../../platform/http';

export class DepositBody {
  @ApiProperty({ example: '1000.00', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;
}

export class DepositDto {
  @ApiProperty({ example: '17', description: 'The ledger row.' })
  readonly transferId!: string;

  @ApiProperty({ example: '1000.00', description: 'Balance of the wallet after the deposit.' })
  readonly balance!: string;
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
      'A frozen wallet takes no credits and no deposits and funds no activity; refunds still reach it.',
  })
  readonly status!: 'active' | 'frozen';
}

export class EntryDto {
  @ApiProperty({ example: '17' })
  readonly transferId!: string;

  @ApiProperty({ enum: ['deposit', 'fund', 'top-up', 'credit', 'void', 'refund'] })
  readonly kind!: 'deposit' | 'fund' | 'top-up' | 'credit' | 'void' | 'refund';

  @ApiProperty({ example: '-7.10', description: 'Negative when the wallet paid.' })
  readonly amount!: string;

  @ApiProperty({ example: '1', nullable: true, type: String })
  readonly activityId!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;
}
