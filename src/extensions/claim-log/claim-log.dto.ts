import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { WITNESSES_MAX } from '../../../libs/claim-log';
import { must } from '../../../libs/problem';
import { IsText, IsWholeNumber, Judged, Omittable } from '../../platform/http';

/** More leaves than a log can have. */
export const LEAVES_MAX = 1_000_000_000_000;
export const LEAVES = { type: 'integer', format: 'int64' } as const;

const HASH = {
  example: 'e286c8fc92f4c5aabd206b2037f948d9bbe469e5e328401641ca7017e50739b1',
  pattern: '^[0-9a-f]{64}$',
};
const MICROS = { example: '1795600000123456', pattern: '^\\d+$', description: 'Microseconds since 1970.' };

/** Room for the names of all witnesses that there may be. */
const NAMES = { min: 1, max: 1_500 };

const InQuery = (minimum: number, description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ ...LEAVES, minimum, maximum: LEAVES_MAX, example: minimum, description }),
    Transform(({ value }: { value: unknown }) => (/^\d{1,13}$/.test(String(value)) ? Number(value) : value)),
    IsWholeNumber({ minimum, maximum: LEAVES_MAX }),
  );

export class CheckpointQuery {
  @Omittable({
    type: 'integer',
    minimum: 1,
    maximum: WITNESSES_MAX,
    description:
      'Asks for the newest checkpoint that at least this many witnesses have signed, rather than the newest of all.',
  })
  @Transform(({ value }: { value: unknown }) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : value))
  @IsWholeNumber({ minimum: 1, maximum: WITNESSES_MAX })
  readonly quorum?: number;

  @Omittable({
    minLength: NAMES.min,
    maxLength: NAMES.max,
    description:
      'Names of the witnesses that count for `quorum`, separated by commas, such as `witness.example/w1,w2.example`; by default, all do.',
  })
  @IsText(NAMES)
  @Judged('hasQuorum', (_, query) =>
    (query as CheckpointQuery).quorum === undefined
      ? must.beLeftOut('must not be given without quorum')
      : undefined,
  )
  readonly of?: string;
}

export class LeavesQuery {
  @InQuery(0, 'The index of the first leaf.')
  readonly from!: number;
}

export class ConsistencyQuery {
  @InQuery(1, 'The size of the former tree.')
  readonly from!: number;

  @InQuery(1, 'The size of the later tree, at most that of the last checkpoint.')
  readonly to!: number;
}

export class LogLeafDto {
  @ApiProperty({ ...LEAVES, example: 0 })
  readonly index!: number;

  @ApiProperty({ example: '7' })
  readonly activityId!: string;

  @ApiProperty({ example: '3', description: 'The number of the packet.' })
  readonly no!: string;

  @ApiProperty(MICROS)
  readonly confirmedAtMicros!: string;

  @ApiProperty({ ...HASH, description: 'The hash of the user and the salt.' })
  readonly user!: string;
}

/** A leaf as everyone may see it: all of it, or only the hash if its activity is not public. */
export class ListedLeafDto extends PartialType(LogLeafDto) {
  @ApiProperty({ ...LEAVES, example: 0 })
  override readonly index!: number;

  @ApiPropertyOptional({
    ...HASH,
    description:
      'Replaces all other fields if the activity is not public: the hash of RFC 9162, section 2.1.1.',
  })
  readonly hash?: string;
}

export class LogLeavesDto {
  @ApiProperty({ type: [ListedLeafDto] })
  readonly leaves!: ListedLeafDto[];
}

export class LogConsistencyDto {
  @ApiProperty({ ...LEAVES, example: 5 })
  readonly from!: number;

  @ApiProperty({ ...LEAVES, example: 9 })
  readonly to!: number;

  @ApiProperty({ type: [String], example: [HASH.example], description: 'As in RFC 9162, section 2.1.4.' })
  readonly proof!: string[];
}

export class LogProofDto extends LogLeafDto {
  @ApiProperty({ example: 'e6d9b195b8722a2687b1980fed42a8d1', pattern: '^[0-9a-f]{32}$' })
  readonly salt!: string;

  @ApiProperty({ type: [String], example: [HASH.example], description: 'As in RFC 9162, section 2.1.3.' })
  readonly path!: string[];

  @ApiProperty({ description: 'The signed tree with the root that the path leads to.' })
  readonly checkpoint!: string;

  @ApiProperty({ description: 'The public key of the log, written as in signed notes.' })
  readonly verifierKey!: string;
}
