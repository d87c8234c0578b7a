import { ApiProperty } from '@nestjs/swagger';
import { PACKET_COUNT_MAX } from '../../../../libs/split';
import { exampleInstant, IsMoney, Optional } from '../../../platform/http';
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
