import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { exampleInstant, IsObject, IsOneOf, IsWholeNumber, Omittable } from '../../platform/http';

const COUNT = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const RATE = { type: 'integer', minimum: 1, maximum: 1_000_000_000 } as const;
const MILLISECONDS = { type: 'integer', minimum: 0, maximum: 3_600_000 } as const;

const Count = (example: number, description?: string): PropertyDecorator =>
  applyDecorators(ApiProperty({ ...COUNT, example, description }), IsWholeNumber(COUNT));

/** What breaks first under a crowd. */
export const BREAKAGES = ['unanswered', 'unavailable', 'rate-limited', 'slow', 'unpaid'] as const;
export type Breakage = (typeof BREAKAGES)[number];

/** The answers to taps: those of a grab, and problems by their kind. */
export class RehearsalAnswersDto {
  @Count(200)
  readonly won!: number;

  @Count(1200, 'Taps of users who already had their packet.')
  readonly already!: number;

  @Count(0, 'Taps whose packet was reserved but not confirmed yet.')
  readonly reserved!: number;

  @Count(198_600)
  readonly soldOut!: number;

  @Count(0)
  readonly limit!: number;

  @Count(0, 'Taps before the next packets were released.')
  readonly notYet!: number;

  @Count(0, 'Taps before the opening or after the end.')
  readonly notOpen!: number;

  @Count(0, 'Taps answered 429.')
  readonly rateLimited!: number;

  @Count(0, 'Taps answered by another problem of the server, such as 503.')
  readonly unavailable!: number;

  @Count(0, 'Taps without any answer.')
  readonly unanswered!: number;

  @Count(0, 'Taps refused for another reason.')
  readonly refused!: number;
}

export class RehearsalReportBody {
  @Count(200_000)
  readonly taps!: number;

  @Count(40, 'How long the crowd tapped.')
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
