import { applyDecorators } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import type { Currency } from '../../../libs/money';
import { must } from '../../../libs/problem';
import { PACKET_COUNT_MAX, SPLIT_KINDS, type SplitPlan } from '../../../libs/split';
import {
  IsList,
  IsMoney,
  IsObject,
  isObject,
  IsOneOf,
  IsWholeNumber,
  oneOfBy,
  Omittable,
} from '../../platform/http';

const TIERS_MAX = 100;

export const IsPacketCount = (): PropertyDecorator =>
  IsWholeNumber({ minimum: 1, maximum: PACKET_COUNT_MAX });

/** An unknown kind is refused here. */
class SplitBody {
  @IsOneOf(SPLIT_KINDS)
  readonly kind!: SplitPlan['kind'];
}

export class RandomSplitBody extends SplitBody {
  @ApiProperty({ enum: ['random'] })
  declare readonly kind: 'random';

  @Omittable({ example: '0.01', description: 'Smallest amount of a packet.' })
  @IsMoney()
  readonly min?: string;

  @Omittable({ example: '20.00', description: 'Largest amount of a packet.' })
  @IsMoney()
  readonly max?: string;
}

export class EqualSplitBody extends SplitBody {
  @ApiProperty({ enum: ['equal'] })
  declare readonly kind: 'equal';
}

export class TierBody {
  @ApiProperty({ example: '8.88' })
  @IsMoney()
  readonly amount!: string;

  @ApiProperty({ type: 'integer', example: 10 })
  @IsPacketCount()
  readonly count!: number;
}

export class TiersSplitBody extends SplitBody {
  @ApiProperty({ enum: ['tiers'] })
  declare readonly kind: 'tiers';

  @ApiProperty({ type: [TierBody], description: 'Counts add up to packetCount, amounts to totalAmount.' })
  @IsList({
    isItem: isObject,
    fault: must.beA('list', 'must be a list of tiers'),
    noun: 'tier',
    maximum: TIERS_MAX,
  })
  @ValidateNested({ each: true })
  @Type(() => TierBody)
  readonly tiers!: TierBody[];
}

export type AnySplitBody = RandomSplitBody | EqualSplitBody | TiersSplitBody;

const SPLITS = { random: RandomSplitBody, equal: EqualSplitBody, tiers: TiersSplitBody } satisfies Record<
  SplitPlan['kind'],
  typeof SplitBody
>;

type PlanOf<Kind> = Extract<SplitPlan, { readonly kind: Kind }>;
type BodyOf<Kind> = Extract<AnySplitBody, { readonly kind: Kind }>;

const PLANS: {
  readonly [Kind in SplitPlan['kind']]: (body: BodyOf<Kind>, currency: Currency) => PlanOf<Kind>;
} = {
  random: ({ min, max }, currency) => ({
    kind: 'random',
    minMinor: min === undefined ? undefined : currency.parse(min),
    maxMinor: max === undefined ? undefined : currency.parse(max),
  }),
  equal: () => ({ kind: 'equal' }),
  tiers: ({ tiers }, currency) => ({
    kind: 'tiers',
    tiers: tiers.map(({ amount, count }) => ({ amountMinor: currency.parse(amount), count })),
  }),
};

/** Reads the amounts of a body in minor units. */
export const splitPlan = <Kind extends SplitPlan['kind']>(
  body: BodyOf<Kind> & { readonly kind: Kind },
  currency: Currency,
): PlanOf<Kind> => PLANS[body.kind](body, currency);

export const SPLIT_BODIES = Object.values(SPLITS);

export const splitSchemas = { SplitBody: oneOfBy('kind', SPLITS) };

export const SPLIT_SCHEMA = { $ref: getSchemaPath('SplitBody') };

export const IsSplit = (): PropertyDecorator =>
  applyDecorators(
    IsObject('must say how the amount is split'),
    ValidateNested(),
    Type(() => SplitBody, {
      keepDiscriminatorProperty: true,
      discriminator: {
        property: 'kind',
        subTypes: Object.entries(SPLITS).map(([name, value]) => ({ name, value })),
      },
    }),
  );
