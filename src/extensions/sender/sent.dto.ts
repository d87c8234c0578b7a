import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AudienceField, type Phase, PHASES } from '../../core/activity';
import { exampleInstant } from '../../platform/http';

/** The activities that one answer adds up. */
export const ACTIVITIES_ADDED_MAX = 1_000;

/** Lists do not count what was won of an activity with more packets. */
export const PACKETS_COUNTED_MAX = 5_000;

export class PacketSumDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 8 })
  readonly packets!: number;

  @ApiProperty({ example: '41.20' })
  readonly amount!: string;
}

export class SentDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '恭喜发财' })
  readonly name!: string;

  @ApiProperty({ enum: PHASES, example: 'open' })
  readonly phase!: Phase;

  @ApiProperty({ example: false })
  readonly cancelled!: boolean;

  @AudienceField('shownTerms')
  readonly audience?: object;

  @ApiProperty({ example: '50.00', description: 'The total that was sent, including top-ups.' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: 'integer', example: 10 })
  readonly packetCount!: number;

  @ApiProperty({
    type: PacketSumDto,
    nullable: true,
    description: `The total that was won, without void packets. Null with more than ${PACKETS_COUNTED_MAX} packets, and once it was archived.`,
  })
  readonly grabbed!: PacketSumDto | null;

  @ApiProperty({
    example: '8.80',
    description: 'The total that came back, after the end and from void packets.',
  })
  readonly returned!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3, description: 'How many winners have said thanks.' })
  readonly thanks!: number;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly opensAt!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(24) })
  readonly closesAt!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly closedAt!: string | null;
}

export class SentTotalDto {
  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 12 })
  readonly activities!: number;

  @ApiProperty({ example: '600.00' })
  readonly amount!: string;

  @ApiProperty({ example: '37.10', description: 'How much of it came back.' })
  readonly returned!: string;

  @ApiProperty({
    example: true,
    description: `False if only the newest ${ACTIVITIES_ADDED_MAX} activities were added up.`,
  })
  readonly isComplete!: boolean;
}

export const SentTotals = ApiPropertyOptional({
  type: [SentTotalDto],
  description: 'The sums of all activities by currency. On the first page.',
});
