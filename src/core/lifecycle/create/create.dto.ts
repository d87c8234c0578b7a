import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { PARTS_MAX } from '../../../../libs/redis-scripts';
import { PACKET_COUNT_MAX } from '../../../../libs/split';
import {
  CurrencyField,
  exampleInstant,
  IsInstant,
  IsMoney,
  IsUserId,
  IsWholeNumber,
  Omittable,
  userIdSchema,
} from '../../../platform/http';
import { type AnyPaceBody, AudienceField, IsPace, PACE_SCHEMA, PlainTerms, Theme } from '../../activity';
import { BackingField } from '../../currency';
import { OutletField } from '../../outlet';
import { SeedField } from './seed-definition';
import { type AnySplitBody, IsPacketCount, IsSplit, SPLIT_BODIES, SPLIT_SCHEMA } from '../split.dto';

const TAPS_PER_SECOND_MAX = 1_000_000_000;

/** Everything that a creation says except when: a series says that by a rule. */
@ApiExtraModels(...SPLIT_BODIES)
export class RainBody extends PlainTerms {
  @ApiProperty({ example: '1000.00', description: 'Above zero, as text.' })
  @IsMoney()
  readonly totalAmount!: string;

  @CurrencyField('The currency of all amounts, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @BackingField('asked')
  readonly rehearsal?: boolean;

  @ApiProperty({ type: 'integer', example: 200, minimum: 1, maximum: PACKET_COUNT_MAX })
  @IsPacketCount()
  readonly packetCount!: number;

  @Omittable({
    ...SPLIT_SCHEMA,
    example: { kind: 'random', min: '0.01', max: '20.00' },
    description: 'Required from staff. If a user leaves it out: random without bounds.',
  })
  @IsSplit()
  readonly split?: AnySplitBody;

  @Omittable({
    ...userIdSchema,
    example: 'u1',
    description: 'The user whose wallet pays. Only staff may choose it; for users it is the caller.',
  })
  @IsUserId()
  readonly sponsorId?: string;

  @OutletField('terms')
  readonly payout?: object;

  @AudienceField('terms')
  readonly audience?: object;

  @Omittable({
    ...PACE_SCHEMA,
    description:
      'How packets are released: evenly from `opensAt` on, or in waves. All at once when left out. Packets that are ' +
      'added later may have a plan of their own.',
  })
  @IsPace()
  readonly pace?: AnyPaceBody;

  @Omittable({ type: Theme, description: 'The look of its page. It can be changed at any time.' })
  @ValidateNested()
  @Type(() => Theme)
  readonly theme?: Theme;

  @Omittable({
    type: 'integer',
    example: 1,
    minimum: 1,
    maximum: PARTS_MAX,
    description:
      'The number of parts in Redis over which the packets are dealt, at most as many as there are shards and ' +
      'packets. 1 if left out.',
  })
  @IsWholeNumber({ minimum: 1, maximum: PARTS_MAX })
  readonly parts?: number;

  @Omittable({
    type: 'integer',
    example: 50_000,
    minimum: 1,
    maximum: TAPS_PER_SECOND_MAX,
    description: 'The highest expected rate of taps per second. It determines `parts` if that is left out.',
  })
  @IsWholeNumber({ minimum: 1, maximum: TAPS_PER_SECOND_MAX })
  readonly expectedTapsPerSecond?: number;
}

export class CreateActivityBody extends RainBody {
  @Omittable({
    format: 'date-time',
    example: exampleInstant(0),
    description:
      'An instant in the past opens the activity at once. Required from staff. If a user leaves it out: now.',
  })
  @IsInstant()
  readonly opensAt?: string;

  @Omittable({
    format: 'date-time',
    example: exampleInstant(24),
    description: 'Required from staff. If a user leaves it out: 24 hours after the opening.',
  })
  @IsInstant()
  readonly closesAt?: string;

  @SeedField('commitment')
  readonly commitment?: string;

  @SeedField('sponsorSeed')
  readonly sponsorSeed?: string;
}
