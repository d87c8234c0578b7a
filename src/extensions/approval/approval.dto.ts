import { ApiProperty } from '@nestjs/swagger';
import type { Currency } from '../../platform/config';
import { exampleInstant } from '../../platform/http';
import { type Approval, APPROVAL_STATUSES, type ApprovalStatus } from './approval';

const NOUNS: Readonly<Record<Approval['action'], string>> = {
  'wallet.deposit': 'wallet',
  'dead-letter.void': 'dead-letter',
  'activity.create': 'wallet',
  'activity.top-up': 'activity',
  'payout.reserve': 'payout',
  'payout.resolve': 'payout',
};

export class ApprovalDto {
  @ApiProperty({ example: '5' })
  readonly id!: string;

  @ApiProperty({
    enum: APPROVAL_STATUSES,
    description: 'Only a `pending` request can be approved or rejected.',
  })
  readonly status!: ApprovalStatus;

  @ApiProperty({
    enum: Object.keys(NOUNS),
    description: 'The action, named as in the audit log.',
  })
  readonly action!: Approval['action'];

  @ApiProperty({
    example: 'wallet:u1',
    description:
      '`wallet:<ownerId>` that gets or pays, `dead-letter:<id>`, `activity:<id>` or `payout:<id>`.',
  })
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
      '`userId` of a void; `channelId` and `userId` of a payout, with `claims`, the number of its wins, where a rain makes it, and ' +
      'with `outcome`, `evidence` and `externalId` where it is resolved; the ' +
      'body of a creation or top-up, in which values that are no text are JSON.',
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

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The id of the activity or top-up, once an approval has created it.',
  })
  readonly resultId!: string | null;
}

export function toApprovalDto(approval: Approval, currency: Currency): ApprovalDto {
  const { id, status, action, subjectId, amountMinor, terms, askedBy, decidedBy, resultId } = approval;
  return {
    ...{ id, status, action, subject: `${NOUNS[action]}:${subjectId}` },
    amount: currency.format(amountMinor),
    currency: currency.code,
    terms: textsOf(terms),
    askedBy,
    askedAt: approval.askedAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedBy,
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    resultId,
  };
}

const textsOf = (terms: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(terms).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
