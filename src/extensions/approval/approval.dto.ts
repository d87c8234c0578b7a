import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { exampleInstant, IsOneOf, IsText, Omittable, PageQuery } from '../../platform/http';
import { APPROVAL_STATUSES, type ApprovalStatus } from './approval';

export class ApprovalQuery extends PageQuery {
  @ApiPropertyOptional({ enum: APPROVAL_STATUSES, default: 'pending' })
  @IsOneOf(APPROVAL_STATUSES)
  readonly status: ApprovalStatus = 'pending';
}

export class MyApprovalsQuery extends PageQuery {
  @Omittable({ enum: APPROVAL_STATUSES, description: 'Only requests with this status. By default, all.' })
  @IsOneOf(APPROVAL_STATUSES)
  readonly status?: ApprovalStatus;
}

export class RejectBody {
  @Omittable({
    example: 'The sponsor has cancelled the campaign.',
    maxLength: 500,
    description: 'Why the request is rejected. The person who made it can read this.',
  })
  @IsText({ min: 3, max: 500 })
  readonly reason?: string;
}

/** `describeApprovals` completes its description from the deeds that exist. */
export class ApprovalDto {
  @ApiProperty({ example: '5' })
  readonly id!: string;

  @ApiProperty({
    enum: APPROVAL_STATUSES,
    description: 'Only a `pending` request can be approved or rejected.',
  })
  readonly status!: ApprovalStatus;

  @ApiProperty()
  readonly action!: string;

  @ApiProperty({ example: 'wallet:u1' })
  readonly subject!: string;

  @ApiProperty({ example: '50000.00' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { reference: 'Bank transfer 2031-02-01/0042' },
  })
  readonly terms!: Record<string, string>;

  @ApiProperty({ example: 'finance-3' })
  readonly askedBy!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly askedAt!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(24) })
  readonly expiresAt!: string;

  @ApiProperty({ type: String, nullable: true, example: 'finance-8', description: 'Never the requester.' })
  readonly decidedBy!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly decidedAt!: string | null;

  @ApiPropertyOptional({
    example: 'The sponsor has cancelled the campaign.',
    description: 'Why it was rejected. Absent if the person who rejected it gave no reason.',
  })
  readonly reason?: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The id of the activity or top-up, once an approval has created it.',
  })
  readonly resultId!: string | null;
}
