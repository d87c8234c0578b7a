import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { exampleInstant, IsObject, IsOneOf, IsWholeNumber, Omittable } from '../../platform/http';

const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const RATE = { type: 'integer', minimum: 1, maximum: 1_000_000_000 } as const;
const MILLISECONDS = { type: 'integer', minimum: 0, maximum: 3_600_000 } as const;

/** What breaks first under a crowd. */
export const BREAKAGES = ['unanswered', 'unavailable', 'rate-limited', 'slow', 'unpaid'] as const;
export type Breakage = (typeof BREAKAGES)[number];

/** The answers to taps: those of a grab, and problems by their kind. */
export class RehearsalAnswersDto {
  @ApiProperty({ ...COUNT, example: 200 })
  @IsWholeNumber(COUNT)
  readonly won!: number;

  @ApiProperty({ ...COUNT, example: 1200, description: 'Taps of users who already had their packet.' })
  @IsWholeNumber(COUNT)
  readonly already!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps whose packet was reserved but not confirmed yet.' })
  @IsWholeNumber(COUNT)
  readonly reserved!: number;

  @ApiProperty({ ...COUNT, example: 198_600 })
  @IsWholeNumber(COUNT)
  readonly soldOut!: number;

  @ApiProperty({ ...COUNT, example: 0 })
  @IsWholeNumber(COUNT)
  readonly limit!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps before the next packets were released.' })
  @IsWholeNumber(COUNT)
  readonly notYet!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps before the opening or after the end.' })
  @IsWholeNumber(COUNT)
  readonly notOpen!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps answered 429.' })
  @IsWholeNumber(COUNT)
  readonly rateLimited!: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Taps answered by another problem of the server, such as 503.',
  })
  @IsWholeNumber(COUNT)
  readonly unavailable!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps without any answer.' })
  @IsWholeNumber(COUNT)
  readonly unanswered!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps refused for another reason.' })
  @IsWholeNumber(COUNT)
  readonly refused!: number;
}

export class RehearsalReportBody {
  @ApiProperty({ ...COUNT, example: 200_000 })
  @IsWholeNumber(COUNT)
  readonly taps!: number;

  @ApiProperty({ ...COUNT, example: 40, description: 'How long the crowd tapped.' })
  @IsWholeNumber(COUNT)
  readonly seconds!: number;

  @ApiProperty({ ...RATE, example: 5000, description: 'The rate at which the crowd tapped.' })
  @IsWholeNumber(RATE)
  readonly tapsPerSecond!: number;

  @ApiProperty({ type: RehearsalAnswersDto })
  @IsObject('must say how the taps were answered')
  @ValidateNested()
  @Type(() => RehearsalAnswersDto)
  readonly answers!: RehearsalAnswersDto;

  @ApiProperty({ ...MILLISECONDS, example: 3, description: 'Half of the answers took at most this long.' })
  @IsWholeNumber(MILLISECONDS)
  readonly p50Ms!: number;

  @ApiProperty({ ...MILLISECONDS, example: 22 })
  @IsWholeNumber(MILLISECONDS)
  readonly p99Ms!: number;

  @Omittable({
    enum: BREAKAGES,
    example: 'slow',
    description:
      'What broke first: taps without an answer, answers 503 or 429, answers that took over a second, or wins that were ' +
      'not paid within half a minute. Left out if nothing did.',
  })
  @IsOneOf(BREAKAGES)
  readonly brokeFirst?: Breakage;
}

export class RehearsalReportDto extends RehearsalReportBody {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ example: '1', description: 'The rehearsal.' })
  readonly activityId!: string;

  @ApiProperty({ example: 'operator-1' })
  readonly reportedBy!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly reportedAt!: string;
}

export const REPORT_EXAMPLES: Readonly<Record<string, RehearsalReportBody>> = {
  'nothing broke': {
    taps: 200_000,
    seconds: 40,
    tapsPerSecond: 5_000,
    answers: {
      ...{ won: 200, already: 1_200, reserved: 0, soldOut: 198_600, limit: 0, notYet: 0, notOpen: 0 },
      ...{ rateLimited: 0, unavailable: 0, unanswered: 0, refused: 0 },
    },
    p50Ms: 3,
    p99Ms: 22,
  },
};
