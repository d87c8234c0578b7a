import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant, IsId, IsOneOf, IsText, Omittable, PageQuery } from '../../../platform/http';

export class FindingDto {
  @ApiProperty({ example: '3' })
  readonly id!: string;

  @ApiProperty({ example: '1' })
  readonly channelId!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '42',
    description: 'Null for an id that was never sent or given, and for calls that are lost.',
  })
  readonly payoutId!: string | null;

  @ApiProperty({ example: 'refused-but-paid', description: 'Our state, and what the channel says.' })
  readonly kind!: string;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { externalId: 'T-2031-0042' } })
  readonly detail!: object;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The file that caused it, whose findings can be ended together.',
  })
  readonly statementId!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly foundAt!: string;

  @ApiProperty({ type: String, nullable: true, example: 'fin-1', description: 'The person in charge of it.' })
  readonly owner!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly endedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly endedBy!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly resolution!: string | null;
}

const FINDING_STATES = ['open', 'ended'] as const;

export class FindingsQuery extends PageQuery {
  @Omittable({ enum: FINDING_STATES, default: 'open' })
  @IsOneOf(FINDING_STATES)
  readonly state: (typeof FINDING_STATES)[number] = 'open';

  @Omittable({ description: 'Only findings of this channel.' })
  @IsId()
  readonly channelId?: string;
}

export class EndFindingBody {
  @ApiProperty({ example: 'Paid back by the user on 2031-02-04.', maxLength: 500 })
  @IsText({ min: 3, max: 500 })
  readonly resolution!: string;
}

export class EndedFindingsDto {
  @ApiProperty({ type: 'integer', example: 22_012, description: 'Findings that this request has ended.' })
  readonly ended!: number;

  @ApiProperty({
    type: 'integer',
    example: 0,
    description:
      'Findings of the file that are still open: those about payouts of the caller, and those beyond 50,000, which ' +
      'another request ends.',
  })
  readonly left!: number;
}
