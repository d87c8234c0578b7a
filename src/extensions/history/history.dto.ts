import { ApiProperty } from '@nestjs/swagger';

const COUNT = { type: 'integer', minimum: 0 } as const;
const TIME = { type: 'number', minimum: 0, nullable: true } as const;

export class HistoryAnswersDto {
  @ApiProperty({ ...COUNT, example: 200, description: 'Winning taps.' })
  readonly won!: number;

  @ApiProperty({ ...COUNT, example: 40, description: 'Taps by users who already had their packet.' })
  readonly already!: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Taps whose packet was reserved but not confirmed in time.',
  })
  readonly reserved!: number;

  @ApiProperty({ ...COUNT, example: 1200 })
  readonly soldOut!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps by users who had won as often as they may.' })
  readonly limit!: number;

  @ApiProperty({ ...COUNT, example: 12 })
  readonly notOpen!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps before the next packets were released.' })
  readonly notYet!: number;

  @ApiProperty({ ...COUNT, example: 3 })
  readonly closed!: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Taps answered 503, such as `grab.unavailable`: their users were asked to tap again.',
  })
  readonly unavailable!: number;
}

export class HistoryFiguresDto {
  @ApiProperty({ ...COUNT, example: 1455, description: 'The sum of `answers`.' })
  readonly taps!: number;

  @ApiProperty({ type: HistoryAnswersDto, description: 'The answers that users got.' })
  readonly answers!: HistoryAnswersDto;

  @ApiProperty({
    ...TIME,
    example: 6.3,
    description:
      'Half of the answers, except `unavailable`, took at most this long, in milliseconds. Times are counted in ' +
      'ranges, so this is an estimate. Null without answers.',
  })
  readonly p50Ms!: number | null;

  @ApiProperty({ ...TIME, example: 31, description: 'The same for 99 % of the answers.' })
  readonly p99Ms!: number | null;

  @ApiProperty({
    ...COUNT,
    example: 200,
    description:
      'Claims, by the time of their confirmation. A claim may be confirmed after its user was answered.',
  })
  readonly wins!: number;

  @ApiProperty({
    ...COUNT,
    example: 200,
    description: 'Claims that were credited, by the time of the credit.',
  })
  readonly credited!: number;

  @ApiProperty({ example: '1000.00', description: 'Their sum.' })
  readonly creditedAmount!: string;
}

export class HistoryPointDto extends HistoryFiguresDto {
  @ApiProperty({ format: 'date-time', description: 'When the step began.' })
  readonly at!: string;
}

export class HistoryDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ format: 'date-time' })
  readonly opensAt!: string;

  @ApiProperty({
    type: 'integer',
    enum: [60, 900, 3_600, 86_400, 604_800],
    example: 60,
    description:
      'The length of a step: a minute, or longer for an activity in which something happened for more than 12 hours.',
  })
  readonly stepSeconds!: number;

  @ApiProperty({ type: HistoryFiguresDto })
  readonly total!: HistoryFiguresDto;

  @ApiProperty({
    type: [HistoryPointDto],
    description: 'The steps in which anything happened, oldest first.',
  })
  readonly points!: HistoryPointDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The last activity of the same sponsor before this one that took taps, to compare with. Null if none of the ' +
      'last 100 did, or its history is no longer kept.',
  })
  readonly previousActivityId!: string | null;
}
