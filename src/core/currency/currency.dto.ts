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
      'For money, its ISO 4217 code; for points, four to twelve capital letters and digits, beginning with ' +
      'a letter. Codes that begin with `CODE` are reserved.',
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
      'The number of decimals of amounts. For money, that of ISO 4217, which may be left out; for points, ' +
      'at most 2, and 0 if left out.',
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
      '`money` of ISO 4217; `points` of your own; `codes`, where one unit is one code of a pool; `test`, ' +
      'which is worth nothing.',
  })
  readonly kind!: CurrencyKind;

  @ApiProperty({ ...DECIMALS, example: 0, description: 'The number of decimals of amounts.' })
  readonly decimals!: CurrencyDigits;

  @ApiProperty({ example: 'Coins' })
  readonly name!: string;
}

export class CurrencyListDto {
  @ApiProperty({ type: [CurrencyDto] })
  readonly items!: CurrencyDto[];
}
