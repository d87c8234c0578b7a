import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PACKET_COUNT_MAX } from '../../../../libs/split';
import { CurrencyField, exampleInstant, IsMoney, Omittable } from '../../../platform/http';
import { type AnyPaceBody, IsPace, PACE_SCHEMA } from '../../activity';
import { OutletField } from '../../outlet';
import { type AnySplitBody, IsPacketCount, IsSplit, SPLIT_SCHEMA } from '../split.dto';

export class TopUpBody {
  @ApiProperty({ example: '4.00', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @CurrencyField('The currency of the activity, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @ApiProperty({
    type: 'integer',
    example: 4,
    minimum: 1,
    maximum: PACKET_COUNT_MAX,
    description: 'Number of new packets. With the existing ones, at most as many as an activity may have.',
  })
  @IsPacketCount()
  readonly packetCount!: number;

  @Omittable({
    ...SPLIT_SCHEMA,
    example: { kind: 'equal' },
    description:
      'The split of these packets only. Random without bounds if left out, regardless of the split of the activity.',
  })
  @IsSplit()
  readonly split?: AnySplitBody;

  @Omittable({
    ...PACE_SCHEMA,
    description:
      'How these packets are released: evenly from now on, or from `opensAt` on if that is later, or in waves. All at ' +
      'once if left out.',
  })
  @IsPace()
  readonly pace?: AnyPaceBody;

  @OutletField('days')
  readonly payoutDays?: number;
}

export class TopUpDto {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '4.00' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: 'integer', example: 4 })
  readonly packetCount!: number;

  @ApiPropertyOptional({ ...PACE_SCHEMA, description: 'The plan by which they are released, if any.' })
  readonly pace?: AnyPaceBody;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}
