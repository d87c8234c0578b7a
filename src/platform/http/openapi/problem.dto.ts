import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Form, FORMS, type Rule, RULE_NAMES, type Unit, UNITS } from '../../../../libs/problem';

export const PROBLEM_CODE = 'ProblemCode';

class FieldFaultDto {
  @ApiProperty({ example: 'split.min' })
  readonly field!: string;

  @ApiProperty({
    enum: RULE_NAMES,
    example: 'maximum',
    description: 'The rule that the value breaks. It is stable; its figures are in the other fields.',
  })
  readonly rule!: Rule;

  @ApiProperty({ example: 'must be at most totalAmount / packetCount', description: 'For people.' })
  readonly message!: string;

  @ApiPropertyOptional({ enum: FORMS, description: 'The expected form.' })
  readonly expected?: Form;

  @ApiPropertyOptional({ type: [String], description: 'The allowed values.' })
  readonly values?: readonly string[];

  @ApiPropertyOptional({ description: 'The allowed minimum: a number or an amount, as text.' })
  readonly minimum?: string;

  @ApiPropertyOptional({
    example: '5.00',
    description: 'The allowed maximum: a number or an amount, as text.',
  })
  readonly maximum?: string;

  @ApiPropertyOptional({ enum: UNITS, description: 'The unit of a size.' })
  readonly unit?: Unit;

  @ApiPropertyOptional({ description: 'The field of each item that is added up.' })
  readonly of?: string;

  @ApiPropertyOptional({ description: 'The field that it is compared with, or `now`.' })
  readonly other?: string;

  @ApiPropertyOptional({ type: [String], description: 'Fields of which at least one is required.' })
  readonly others?: readonly string[];
}

/** RFC 9457. */
export class ProblemDto {
  @ApiProperty({
    description: 'URL of the page that explains this kind of problem.',
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
      'The id of the request, also in the X-Request-Id header. Quote it when you ask for help. Missing if no ' +
      'request could be read.',
  })
  readonly requestId?: string;

  @ApiPropertyOptional({
    type: [FieldFaultDto],
    description: 'The invalid fields, if the input was invalid.',
  })
  readonly errors?: FieldFaultDto[];
}
