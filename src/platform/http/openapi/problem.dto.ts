import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The name of the schema that lists all codes. */
export const PROBLEM_CODE = 'ProblemCode';

class FieldFaultDto {
  @ApiProperty({ example: 'split.tiers[0].amount' })
  readonly field!: string;

  @ApiProperty({ example: 'must be an amount of money above zero, written as text such as "7.10"' })
  readonly message!: string;
}

/** The body of every answer that is not a success (RFC 9457). */
export class ProblemDto {
  @ApiProperty({ description: 'Where this kind of problem is explained.', format: 'uri-reference' })
  readonly type!: string;

  @ApiProperty()
  readonly title!: string;

  @ApiProperty({ type: 'integer' })
  readonly status!: number;

  @ApiProperty({ description: 'What happened this time.' })
  readonly detail!: string;

  @ApiProperty()
  readonly code!: string;

  @ApiPropertyOptional({
    description:
      'Also in the X-Request-Id header; quote it when you ask for help. Missing when no request could be read.',
  })
  readonly requestId?: string;

  @ApiPropertyOptional({ type: [FieldFaultDto], description: 'The fields at fault, when the input was.' })
  readonly errors?: FieldFaultDto[];
}
