import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import {
  exampleInstant,
  exampleLocalTime,
  Is,
  IsId,
  isInstant,
  IsInstant,
  IsOneOf,
  IsText,
  IsTimeZone,
  IsPersonId,
  IsWholeNumber,
  Omittable,
  PageQuery,
  personIdSchema,
} from '../../platform/http';
import { must } from '../../../libs/problem';
import { RANDOM_RAIN, RainBody } from '../../core/lifecycle';
import {
  MISSED_REASONS,
  type MissedReason,
  type OccurrenceStatus,
  SERIES_STATUSES,
  type SeriesStatus,
} from './series';
import { OCCURRENCES_MAX } from './recurrence';

const RULE_LENGTH_MAX = 300;
const LOCAL_TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const DURATION = { type: 'integer', minimum: 60, maximum: 2_678_400 } as const;
const AHEAD = { type: 'integer', minimum: 0, maximum: 720 } as const;
const COUNT = { type: 'integer', minimum: 1, maximum: OCCURRENCES_MAX } as const;

const isLocalTime = (value: unknown): boolean =>
  typeof value === 'string' && LOCAL_TIME.test(value) && isInstant(`${value}Z`);

/** A creation without its window, and when it recurs. */
export class SeriesBody extends RainBody {
  @ApiProperty({
    example: 'FREQ=WEEKLY;BYDAY=FR',
    minLength: 10,
    maxLength: RULE_LENGTH_MAX,
    description:
      'A recurrence rule of RFC 5545 that repeats by days, weeks, months or years. Without `BYMINUTE`, `BYSECOND`, ' +
      '`COUNT` and `UNTIL`.',
  })
  @IsText({ min: 10, max: RULE_LENGTH_MAX })
  readonly rrule!: string;

  @ApiProperty({
    example: 'Asia/Shanghai',
    description: 'The IANA name of the time zone of `start` and `rrule`.',
  })
  @IsTimeZone()
  readonly timeZone!: string;

  @ApiProperty({
    example: exampleLocalTime(24),
    pattern: LOCAL_TIME.source,
    description:
      'The local time from which the rule counts. The first occurrence is the first that the rule yields from then on.',
  })
  @Is('isLocalTime', isLocalTime, must.beA('local-time'))
  readonly start!: string;

  @ApiProperty({ ...DURATION, example: 3600, description: 'How long each activity is open.' })
  @IsWholeNumber(DURATION)
  readonly durationSeconds!: number;

  @Omittable({
    ...AHEAD,
    default: 24,
    example: 24,
    description: 'How many hours before its opening an activity is created and funded.',
  })
  @IsWholeNumber(AHEAD)
  readonly createAheadHours?: number;

  @Omittable({ ...COUNT, example: 30, description: 'The number of occurrences. Either this or `until`.' })
  @IsWholeNumber(COUNT)
  readonly count?: number;

  @Omittable({ format: 'date-time', description: 'The last instant at which an occurrence may open.' })
  @IsInstant()
  readonly until?: string;
}

/** When it recurs, without its other terms. */
export class SeriesPreviewBody extends PickType(SeriesBody, [
  ...(['rrule', 'timeZone', 'start', 'durationSeconds', 'count', 'until'] as const),
]) {}

const FRIDAYS = {
  ...RANDOM_RAIN,
  rrule: 'FREQ=WEEKLY;BYDAY=FR',
  timeZone: 'Asia/Shanghai',
  start: exampleLocalTime(24),
  durationSeconds: 3_600,
};

export const SERIES_EXAMPLES: Readonly<Record<string, SeriesBody>> = {
  'every Friday': { ...FRIDAYS, count: 30 },
  'the last day of each month, until an instant': {
    ...FRIDAYS,
    rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
    until: exampleInstant(8_000),
  },
};

const { rrule, timeZone, start, durationSeconds } = FRIDAYS;

export const SERIES_PREVIEW_EXAMPLES: Readonly<Record<string, SeriesPreviewBody>> = {
  'every Friday': { rrule, timeZone, start, durationSeconds, count: 30 },
};

export class SeriesQuery extends PageQuery {
  @Omittable({ description: 'Only the series that this activity comes from.' })
  @IsId()
  readonly activityId?: string;

  @Omittable({ ...personIdSchema, description: 'Only the series of this sponsor.' })
  @IsPersonId()
  readonly sponsorId?: string;

  @Omittable({ ...personIdSchema, description: 'Only the series whose terms this person wrote last.' })
  @IsPersonId()
  readonly writtenBy?: string;

  @Omittable({ enum: SERIES_STATUSES, description: 'Only series in this state.' })
  @IsOneOf(SERIES_STATUSES)
  readonly status?: SeriesStatus;
}

export class OccurrenceRefusalDto {
  @ApiProperty({ enum: MISSED_REASONS, example: 'no-funds' })
  readonly reason!: MissedReason;

  @ApiProperty({
    example: 'The paying account holds less than the amount.',
    description: 'The reason in words.',
  })
  readonly detail!: string;
}

class OccurrenceWindowDto {
  @ApiProperty({ format: 'date-time', example: exampleInstant(24) })
  readonly opensAt!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(25) })
  readonly closesAt!: string;
}

export class NextOccurrenceDto extends OccurrenceWindowDto {
  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(0),
    description: 'When the activity will be created.',
  })
  readonly createsAt!: string;

  @ApiPropertyOptional({
    type: OccurrenceRefusalDto,
    description: 'Why it could not be created yet. It is tried again until it opens.',
  })
  readonly refusal?: OccurrenceRefusalDto;
}

export class PreviewedOccurrenceDto extends OccurrenceWindowDto {}

export class SeriesPreviewDto {
  @ApiProperty({ type: [PreviewedOccurrenceDto], description: 'The next ten, or all if there are fewer.' })
  readonly occurrences!: PreviewedOccurrenceDto[];

  @ApiProperty({ description: 'True if there are more after them.' })
  readonly hasMore!: boolean;
}

export class SeriesDto extends SeriesBody {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ enum: SERIES_STATUSES, example: 'active' })
  readonly status!: SeriesStatus;

  @ApiProperty({ example: 'sponsor-1' })
  declare readonly sponsorId: string;

  @ApiProperty({
    example: 'operator-1',
    description:
      'The person who last wrote the terms. The activities are created in their name, within the limits of ' +
      'what they may do alone.',
  })
  readonly writtenBy!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 3,
    description: 'How many occurrences were created or missed.',
  })
  readonly decided!: number;

  @ApiPropertyOptional({ type: NextOccurrenceDto, description: 'Left out once there is none.' })
  readonly next?: NextOccurrenceDto;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class OccurrenceDto extends OccurrenceWindowDto {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  readonly no!: number;

  @ApiProperty({ enum: ['created', 'missed'], example: 'created' })
  readonly status!: OccurrenceStatus;

  @ApiPropertyOptional({ example: '1', description: 'The activity, if it is created.' })
  readonly activityId?: string;

  @ApiPropertyOptional({ type: OccurrenceRefusalDto, description: 'Why it is missed.' })
  readonly missed?: OccurrenceRefusalDto;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly decidedAt!: string;
}
