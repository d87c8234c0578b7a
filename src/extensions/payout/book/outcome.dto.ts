import { ApiProperty } from '@nestjs/swagger';
import { IsId, IsInstant, IsOneOf, IsText, Omittable } from '../../../platform/http';
import { type Outcome, OUTCOMES, PAYOUT_STATES, type PayoutState } from './payout-state';

const EXTERNAL_ID = { min: 1, max: 100 };
const CODE = { min: 1, max: 50 };
const ACTION = { min: 1, max: 500 };

export class OutcomeBody {
  @ApiProperty({ example: '42' })
  @IsId()
  readonly id!: string;

  @ApiProperty({ enum: OUTCOMES })
  @IsOneOf(OUTCOMES)
  readonly outcome!: Outcome;

  @Omittable({ example: 'T-2031-0042', maxLength: 100, description: 'Your name for the payment.' })
  @IsText(EXTERNAL_ID)
  readonly externalId?: string;

  @Omittable({ example: 'user-closed', maxLength: 50, description: 'The reason for a refusal.' })
  @IsText(CODE)
  readonly code?: string;

  @Omittable({
    example: 'Confirm the transfer in the app within 24 hours.',
    maxLength: 500,
    description: 'What the user has to do, with `needs-user`.',
  })
  @IsText(ACTION)
  readonly action?: string;
}

const OUTCOME_RESULTS = ['applied', 'unchanged', 'finding', 'not-found'] as const;
export type OutcomeResult = (typeof OUTCOME_RESULTS)[number];

export class OutcomeResultDto {
  @ApiProperty({ example: '42' })
  readonly id!: string;

  @ApiProperty({
    enum: OUTCOME_RESULTS,
    description:
      '`unchanged`: it was already in this state. `finding`: the outcome contradicts the state, so nothing ' +
      'was changed, and a person has to look into it.',
  })
  readonly result!: OutcomeResult;

  @ApiProperty({
    enum: PAYOUT_STATES,
    nullable: true,
    type: String,
    description: 'The current state of the payout.',
  })
  readonly state!: PayoutState | null;
}

const RESOLUTIONS = ['paid', 'refused'] as const;

export class ResolvePayoutBody {
  @ApiProperty({ enum: RESOLUTIONS })
  @IsOneOf(RESOLUTIONS)
  readonly outcome!: (typeof RESOLUTIONS)[number];

  @ApiProperty({
    example: 'Bank statement 2031-02-03, line 17.',
    maxLength: 500,
    description: 'The evidence for it.',
  })
  @IsText({ min: 3, max: 500 })
  readonly evidence!: string;

  @Omittable({
    format: 'date-time',
    description:
      '`lastSentAt` of the payout, as you read it before you gathered the evidence. With `refused` it must still be ' +
      'the same, now and at the approval.',
  })
  @IsInstant()
  readonly lastSentAt?: string;

  @Omittable({ example: 'T-2031-0042', maxLength: 100, description: "The channel's name for the payment." })
  @IsText(EXTERNAL_ID)
  readonly externalId?: string;
}
