import { ApiProperty, PickType } from '@nestjs/swagger';
import { OutletField } from '../../outlet';
import { CreateActivityBody } from '../create/create.dto';
import { type AnySplitBody, IsSplit, SPLIT_SCHEMA } from '../split.dto';

/** The terms that decide the amounts of packets, and where their credits would go. */
export class SplitPreviewBody extends PickType(CreateActivityBody, [
  ...(['totalAmount', 'currency', 'packetCount'] as const),
]) {
  @ApiProperty({ ...SPLIT_SCHEMA, example: { kind: 'random', min: '0.01', max: '20.00' } })
  @IsSplit()
  readonly split!: AnySplitBody;

  @OutletField('terms')
  readonly payout?: object;
}

class SplitBarDto {
  @ApiProperty({ example: '0.01' })
  readonly from!: string;

  @ApiProperty({ example: '1.00', description: 'Upper bound of this step.' })
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
    description: 'Packets of the example: all of them, or 2000 of a larger random split.',
  })
  readonly packets!: number;

  @ApiProperty({ example: '0.04' })
  readonly smallest!: string;

  @ApiProperty({
    example: '5.02',
    description: 'The median: at least half of the packets hold this amount or less.',
  })
  readonly median!: string;

  @ApiProperty({ example: '9.93' })
  readonly largest!: string;

  @ApiProperty({
    type: [SplitBarDto],
    description: 'Histogram of the amounts, in at most twenty steps of equal width.',
  })
  readonly bars!: SplitBarDto[];

  @OutletField('estimate')
  readonly payout?: object;
}
