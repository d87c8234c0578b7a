import { ApiProperty } from '@nestjs/swagger';
import type { Currency } from '../../platform/config';
import { exampleInstant } from '../../platform/http';
import { type Approval, APPROVAL_STATUSES, type ApprovalStatus } from './approval';

export class ApprovalDto {
  @ApiProperty({ example: '5' })
  readonly id!: string;

  @ApiProperty({
    enum: APPROVAL_STATUSES,
    description: 'Only a `pending` request can be approved or rejected.',
  })
  readonly status!: ApprovalStatus;

  @ApiProperty({
    enum: ['wallet.deposit', 'dead-letter.void'],
    description: 'The action, named as in the audit log.',
  })
  readonly action!: Approval['action'];

  @ApiProperty({ example: 'wallet:u1', description: '`wallet:<ownerId>` or `dead-letter:<id>`.' })
  readonly subject!: string;

  @ApiProperty({ example: '50000.00' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { reference: 'Bank transfer 2031-02-01/0042' },
    description:
      'Further fields of the request: `reference` of a deposit; `reason`, `status`, `claimId`, `activityId` and ' +
      '`userId` of a void.',
  })
  readonly terms!: Record<string, string>;

  @ApiProperty({ example: 'finance-3' })
  readonly askedBy!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly askedAt!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(24) })
  readonly expiresAt!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'finance-8',
    description: 'Never the person who asked.',
  })
  readonly decidedBy!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly decidedAt!: string | null;
}

export function toApprovalDto(approval: Approval, currency: Currency): ApprovalDto {
  const { id, status, action, subjectId, amountMinor, terms, askedBy, decidedBy } = approval;
  const [noun] = action.split('.');
  return {
    ...{ id, status, action, subject: `${noun}:${subjectId}` },
    amount: currency.format(amountMinor),
    currency: currency.code,
    terms: terms as Record<string, string>,
    askedBy,
    askedAt: approval.askedAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedBy,
    decidedAt: approval.decidedAt?.toISOString() ?? null,
  };
}
