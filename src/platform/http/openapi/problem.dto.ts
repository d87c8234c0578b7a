import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export const PROBLEM_CODE = 'ProblemCode';

class FieldFaultDto {
  @ApiProperty({ example: 'split.tiers[0].amount' })
  readonly field!: string;

  @ApiProperty({ example: 'must be an amount of money above zero, written as text such as "7.10"' })
  readonly message!: string;
}

/** RFC 9457. */
export class ProblemDto {
  @ApiProperty({
    description: 'Address of the explanation of this kind of problem.',
    format: 'uri-reference',
  })
  readonly type!: string;

  @ApiProperty()
  readonly title!: string;

  @ApiProperty({ type: 'integer' })
  readonly status!: number;

  @ApiProperty({ description: 'Explanation of this occurrence.' })
  readonly detail!: string;

  @ApiProperty()
  readonly code!: string;

  @ApiPropertyOptional({
    description:
      'The id of the request, also in the X-Request-Id header. Quote it when you ask for help. Missing when no ' +
      'request could be read.',
  })
  readonly requestId?: string;

  @ApiPropertyOptional({
    type: [FieldFaultDto],
    description: 'The invalid fields, when the input was invalid.',
  })
  readonly errors?: FieldFaultDto[];
}
