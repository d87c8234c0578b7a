import { ApiExtraModels, ApiProperty, PickType } from '@nestjs/swagger';
import { CreateActivityBody } from '../create/create.dto';
import { EqualSplitBody, RandomSplitBody, TiersSplitBody } from '../split.dto';

/** The part of an activity that says who gets how much. */
@ApiExtraModels(RandomSplitBody, EqualSplitBody, TiersSplitBody)
export class SplitPreviewBody extends PickType(CreateActivityBody, ['totalAmount', 'packetCount', 'split']) {}

class SplitBarDto {
  @ApiProperty({ example: '0.01' })
  readonly from!: string;

  @ApiProperty({ example: '1.00', description: 'The largest amount that counts here.' })
  readonly to!: string;

  @ApiProperty({ type: 'integer', example: 21 })
  readonly packets!: number;
}

export class SplitPreviewDto {
  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: 'integer',
    example: 200,
    description: 'The packets of the example: all, or 5000 of a larger random split.',
  })
  readonly packets!: number;

  @ApiProperty({ example: '0.04' })
  readonly smallest!: string;

  @ApiProperty({ example: '5.02', description: 'At least half of the packets hold this or less.' })
  readonly median!: string;

  @ApiProperty({ example: '9.93' })
  readonly largest!: string;

  @ApiProperty({
    type: [SplitBarDto],
    description: 'How many packets hold how much, in at most twenty steps of the same width.',
  })
  readonly bars!: SplitBarDto[];
}
