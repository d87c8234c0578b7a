import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Currency } from '../../../libs/money';
import {
  IsId,
  IsOneOf,
  IsPersonId,
  IsText,
  IsUserId,
  Omittable,
  PageQuery,
  personIdSchema,
  userIdSchema,
} from '../../platform/http';
import { DEAD_LETTER_REASONS, type DeadLetterRow } from './dead-letter.entity';

const REASONS = DEAD_LETTER_REASONS;
const STATUSES = ['open', 'replayed', 'resolved', 'void'] as const;

export class DeadLetterQuery extends PageQuery {
  @ApiPropertyOptional({ enum: STATUSES, default: 'open' })
  @IsOneOf(STATUSES)
  readonly status: (typeof STATUSES)[number] = 'open';

  @Omittable({ description: 'Only letters of this activity.' })
  @IsId()
  readonly activityId?: string;

  @Omittable({ ...personIdSchema, description: 'Only letters of this user.' })
  @IsPersonId()
  readonly userId?: string;

  @Omittable({ enum: REASONS, description: 'Only letters with this reason.' })
  @IsOneOf(REASONS)
  readonly reason?: (typeof REASONS)[number];
}

export class DeadLetterDto {
  @ApiProperty({ example: '3' })
  readonly id!: string;

  @ApiProperty({ example: '42' })
  readonly claimId!: string;

  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ enum: REASONS })
  readonly reason!: (typeof REASONS)[number];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The error of the last attempt, or the reason why staff hold the claim. Null for a hold by ticket.',
  })
  readonly lastError!: string | null;

  @ApiProperty({ type: 'integer', example: 1 })
  readonly attempts!: number;

  @ApiProperty({ enum: STATUSES })
  readonly status!: (typeof STATUSES)[number];

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly resolution!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly updatedAt!: string;
}

export const letterDto = (
  { amountMinor, createdAt, updatedAt, ...letter }: DeadLetterRow,
  currency: Currency,
): DeadLetterDto => ({
  ...letter,
  amount: currency.format(amountMinor),
  currency: currency.code,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export class ReplayBody {
  @Omittable({ example: '1', description: 'Only letters of this activity.' })
  @IsId()
  readonly activityId?: string;

  @Omittable({ ...userIdSchema, example: 'u1', description: 'Only letters of this user.' })
  @IsUserId()
  readonly userId?: string;

  @Omittable({
    enum: REASONS,
    description: 'Only letters with this reason. Held claims are skipped unless named here.',
  })
  @IsOneOf(REASONS)
  readonly reason?: (typeof REASONS)[number];
}

export const REPLAY_EXAMPLES: Readonly<Record<string, ReplayBody>> = {
  'all that nobody holds': {},
  'of an activity': { activityId: '1' },
  'of a user': { userId: 'u1' },
  'wallets that were frozen': { reason: 'wallet_frozen' },
};

export class HoldBody {
  @ApiProperty({ example: 'Forty wins from one address.', maxLength: 500 })
  @IsText({ min: 3, max: 500 })
  readonly reason!: string;
}

export class ReplayedDto {
  @ApiProperty({
    type: 'integer',
    example: 12,
    description: 'Letters handed back to settlement; repeat the call while this is 1000.',
  })
  readonly replayed!: number;
}

export class ResolveBody {
  @ApiProperty({ example: 'Account closed on request; paid by bank transfer 2031-02-03.', maxLength: 500 })
  @IsText({ min: 3, max: 500 })
  readonly reason!: string;
}
