import { ApiProperty } from '@nestjs/swagger';
import type { CurrencyDigits } from '../../../libs/money';
import { IsAnyText, IsOneOf, IsText, IsWholeNumber, Omittable } from '../../platform/http';
import { CURRENCY_KINDS, type CurrencyKind } from './known-currency';

/** The kinds that people add. Others come with what they are for. */
const ADDED_KINDS = ['money', 'points'] as const;

const DECIMALS = { type: 'integer', minimum: 0, maximum: 3 } as const;

export class CreateCurrencyBody {
  @ApiProperty({
    example: 'COINS',
    description:
      'Of money the code of ISO 4217; of points four to twelve capitals and digits, the first a capital. Codes that ' +
      'begin with `CODE` are reserved.',
  })
  @IsAnyText()
  readonly code!: string;

  @ApiProperty({ enum: ADDED_KINDS, description: '`money` of ISO 4217, or `points` of your own.' })
  @IsOneOf(ADDED_KINDS)
  readonly kind!: (typeof ADDED_KINDS)[number];

  @Omittable({
    ...DECIMALS,
    example: 0,
    description:
      'How many decimals amounts have. Of money those of ISO 4217, which may be left out; of points 0 when left out, ' +
      'and at most 2.',
  })
  @IsWholeNumber(DECIMALS)
  readonly decimals?: CurrencyDigits;

  @ApiProperty({ example: 'Coins', minLength: 1, maxLength: 100, description: 'For people.' })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;
}

export const CURRENCY_EXAMPLES: Readonly<Record<string, CreateCurrencyBody>> = {
  points: { code: 'COINS', kind: 'points', decimals: 0, name: 'Coins' },
  money: { code: 'EUR', kind: 'money', name: 'Euro' },
};

export class CurrencyDto {
  @ApiProperty({ example: 'COINS' })
  readonly code!: string;

  @ApiProperty({
    enum: CURRENCY_KINDS,
    description:
      '`money` of ISO 4217; `points` of your own; `codes`, of which one unit is one code of a pool; `test`, which is ' +
      'worth nothing.',
  })
  readonly kind!: CurrencyKind;

  @ApiProperty({ ...DECIMALS, example: 0, description: 'How many decimals amounts have.' })
  readonly decimals!: CurrencyDigits;

  @ApiProperty({ example: 'Coins' })
  readonly name!: string;
}

export class CurrencyListDto {
  @ApiProperty({ type: [CurrencyDto] })
  readonly items!: CurrencyDto[];
}
