import { ApiProperty } from '@nestjs/swagger';
import { CurrencyField, IsMoney } from '../../platform/http';

const PER_DAY = { example: '5000.00', description: 'The most that may enter activities in a UTC day.' };

export class SetBudgetBody {
  @ApiProperty(PER_DAY)
  @IsMoney()
  readonly perDay!: string;

  @CurrencyField('The currency of the wallet, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class BudgetDto {
  @ApiProperty({
    ...PER_DAY,
    type: String,
    nullable: true,
    description: `${PER_DAY.description} Null without a budget.`,
  })
  readonly perDay!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '1200.00',
    description:
      'The money that has entered activities today, including money that has come back since. Null without a budget.',
  })
  readonly spentToday!: string | null;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;
}
