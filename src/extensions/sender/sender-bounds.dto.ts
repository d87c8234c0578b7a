import { ApiProperty } from '@nestjs/swagger';
import { CurrencyQuery, exampleInstant } from '../../platform/http';

const NONE = '`null` means no limit.';

export class SenderBoundsQuery {
  @CurrencyQuery('The currency of the amounts, a code of `GET /v1/currencies`.')
  readonly currency?: string;
}

export class SenderBoundsDto {
  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '200.00',
    description: `The maximum amount of one packet. ${NONE}`,
  })
  readonly largestPacket!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 100,
    description: `The maximum number of packets in an activity, including top-ups. ${NONE}`,
  })
  readonly packetsMax!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 20,
    description: `The maximum number of activities per user and UTC day. ${NONE}`,
  })
  readonly activitiesPerDay!: number | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 3,
    description: 'Counted only while there is a limit.',
  })
  readonly activitiesToday!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '1000.00',
    description: `The maximum amount that a user may put into activities per UTC day. ${NONE}`,
  })
  readonly sumPerDay!: string | null;

  @ApiProperty({
    example: '150.00',
    description: 'Includes money that has come back since. Counted only while there is a limit.',
  })
  readonly sentToday!: string;

  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(24),
    description: 'The beginning of the next UTC day.',
  })
  readonly nextDayAt!: string;
}
