import { applyDecorators } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { must } from '../../../libs/problem';
import { type Pace, WAVES_MAX } from '../../../libs/pace';
import { PACKET_COUNT_MAX } from '../../../libs/split';
import {
  IsInstant,
  IsList,
  IsObject,
  isObject,
  IsOneOf,
  IsWholeNumber,
  oneOfBy,
  Omittable,
} from '../../platform/http';

const PACE_KINDS = ['even', 'waves'] as const;

/** An unknown kind is refused here. */
class PaceBody {
  @IsOneOf(PACE_KINDS)
  readonly kind!: (typeof PACE_KINDS)[number];
}

export class EvenPaceBody extends PaceBody {
  @ApiProperty({ enum: ['even'] })
  declare readonly kind: 'even';

  @Omittable({
    format: 'date-time',
    description: 'All packets are released before this instant. By default `closesAt`.',
  })
  @IsInstant()
  readonly until?: string;
}

export class WaveBody {
  @ApiProperty({ format: 'date-time' })
  @IsInstant()
  readonly at!: string;

  @ApiProperty({ type: 'integer', example: 1000, minimum: 1, maximum: PACKET_COUNT_MAX })
  @IsWholeNumber({ minimum: 1, maximum: PACKET_COUNT_MAX })
  readonly count!: number;
}

export class WavesPaceBody extends PaceBody {
  @ApiProperty({ enum: ['waves'] })
  declare readonly kind: 'waves';

  @ApiProperty({
    type: [WaveBody],
    minItems: 1,
    maxItems: WAVES_MAX,
    description: 'In ascending order, from `opensAt` to before `closesAt`. Counts add up to packetCount.',
  })
  @IsList({
    isItem: isObject,
    fault: must.beA('list', 'must be a list of waves'),
    noun: 'wave',
    maximum: WAVES_MAX,
  })
  @ValidateNested({ each: true })
  @Type(() => WaveBody)
  readonly waves!: WaveBody[];
}

export type AnyPaceBody = EvenPaceBody | WavesPaceBody;

const PACES = { even: EvenPaceBody, waves: WavesPaceBody };

export const PACE_BODIES = Object.values(PACES);

export const paceSchemas = { PaceBody: oneOfBy('kind', PACES) };

export const PACE_SCHEMA = { $ref: getSchemaPath('PaceBody') };

export const IsPace = (): PropertyDecorator =>
  applyDecorators(
    IsObject('must say how packets are released'),
    ValidateNested(),
    Type(() => PaceBody, {
      keepDiscriminatorProperty: true,
      discriminator: {
        property: 'kind',
        subTypes: Object.entries(PACES).map(([name, value]) => ({ name, value })),
      },
    }),
  );

export function paceView(pace: Pace): AnyPaceBody {
  if (pace.kind === 'even') return { kind: 'even', until: new Date(pace.untilMs).toISOString() };
  const waves = pace.waves.map(({ atMs, count }) => ({ at: new Date(atMs).toISOString(), count }));
  return { kind: 'waves', waves };
}
