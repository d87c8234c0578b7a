import { ApiProperty } from '@nestjs/swagger';
import { PACKET_COUNT_MAX } from '../../../../libs/split';
import { exampleInstant, IsMoney, IsWholeNumber, Optional } from '../../../platform/http';
import { PAYOUT_DAYS_MAX } from '../../activity';
import { type AnySplitBody, IsPacketCount, IsSplit, SPLIT_SCHEMA } from '../split.dto';

export class TopUpBody {
  @ApiProperty({ example: '4.00', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @ApiProperty({
    type: 'integer',
    example: 4,
    minimum: 1,
    maximum: PACKET_COUNT_MAX,
    description: 'Number of new packets. With the existing ones, at most as many as an activity may have.',
  })
  @IsPacketCount()
  readonly packetCount!: number;

  @Optional({
    ...SPLIT_SCHEMA,
    example: { kind: 'equal' },
    description:
      'The split of these packets alone. Random without bounds when left out, regardless of the split of the ' +
      'activity.',
  })
  @IsSplit()
  readonly split?: AnySplitBody;

  @Optional({
    type: 'integer',
    example: 2,
    minimum: 1,
    maximum: PAYOUT_DAYS_MAX,
    description:
      'The days over which `perDay` of the channel may spread the payouts of the whole activity. When left out, ' +
      'as many as they take without the top-up.',
  })
  @IsWholeNumber({ minimum: 1, maximum: PAYOUT_DAYS_MAX })
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

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}
