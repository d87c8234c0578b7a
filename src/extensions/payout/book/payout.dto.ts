import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { must } from '../../../../libs/problem';
import type { Currency } from '../../../platform/config';
import {
  exampleInstant,
  ID_OF_NOTHING,
  IsId,
  IsInstant,
  IsList,
  IsMoney,
  isObject,
  IsOneOf,
  IsText,
  IsUserId,
  Omittable,
  PageQuery,
  userIdSchema,
} from '../../../platform/http';
import type { PayoutRow } from './payout.entity';
import { type Outcome, OUTCOMES, PAYOUT_STATES, type PayoutState } from './payout-state';

export const OUTCOMES_MAX = 100;
const EXTERNAL_ID = { min: 1, max: 100 };
const CODE = { min: 1, max: 50 };
const ACTION = { min: 1, max: 500 };

export class AskForPayoutBody {
  @ApiProperty({ example: '7.10', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @ApiProperty({ example: '1', description: 'The channel that pays it out.' })
  @IsId()
  readonly channelId!: string;
}

export class MyPayoutsQuery extends PageQuery {
  @Omittable({ enum: PAYOUT_STATES, description: 'Only payouts in this state.' })
  @IsOneOf(PAYOUT_STATES)
  readonly state?: PayoutState;
}

export class PayoutsQuery extends MyPayoutsQuery {
  @Omittable({ ...userIdSchema, description: 'Only payouts of this user.' })
  @IsUserId()
  readonly userId?: string;

  @Omittable({ description: 'Only payouts through this channel.' })
  @IsId()
  readonly channelId?: string;
}

export class PayoutDto {
  @ApiProperty({ example: '42' })
  readonly id!: string;

  @ApiProperty({
    enum: PAYOUT_STATES,
    description:
      '`review`: a second person has to approve it. `reserved`: taken from the wallet. `sending`: the ' +
      'channel is being called. `unknown`: the call had no clear answer, and the channel is asked. `processing` and ' +
      '`needs-user`: the channel has it, or waits for the user. `paid`, `refused` and `returned` end it; after the ' +
      'last two, the money is back in the wallet.',
  })
  readonly state!: PayoutState;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ example: '1' })
  readonly channelId!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'The number under which the channel is asked.' })
  readonly attempt!: number;

  @ApiProperty({ type: String, nullable: true, example: null, description: "The channel's name for it." })
  readonly externalId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The reason of a refusal.' })
  readonly code!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'What the user has to do, while the state is `needs-user`.',
  })
  readonly action!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly endedAt!: string | null;
}

export class PayoutStepDto {
  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;

  @ApiProperty({ enum: PAYOUT_STATES })
  readonly state!: PayoutState;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { externalId: 'T-1' } })
  readonly detail!: object;
}

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
    description: 'The file that has made it, whose findings can be ended together.',
  })
  readonly statementId!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly foundAt!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'fin-1',
    description: 'The person who looks after it.',
  })
  readonly owner!: string | null;

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  readonly endedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly endedBy!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly resolution!: string | null;
}

export class PayoutStoryDto extends PayoutDto {
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description:
      'When the channel was last asked to pay it, or last read it. Null if it was not and did not, or has surely not ' +
      'taken it.',
  })
  readonly lastSentAt!: string | null;

  @ApiProperty({ type: [PayoutStepDto], description: 'Its steps, oldest first.' })
  readonly steps!: PayoutStepDto[];

  @ApiProperty({ type: [FindingDto], description: 'Findings about it, oldest first.' })
  readonly findings!: FindingDto[];
}

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

  @Omittable({ example: 'user-closed', maxLength: 50, description: 'The reason of a refusal.' })
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

export class OutcomesBody {
  @ApiProperty({ type: [OutcomeBody], maxItems: OUTCOMES_MAX })
  @IsList({
    isItem: isObject,
    fault: must.beA('list', 'must be a list of outcomes'),
    verb: 'name',
    noun: 'payout',
    maximum: OUTCOMES_MAX,
  })
  @ValidateNested({ each: true })
  @Type(() => OutcomeBody)
  readonly outcomes!: OutcomeBody[];
}

export const OUTCOMES_EXAMPLES: Readonly<Record<string, OutcomesBody>> = {
  paid: { outcomes: [{ id: ID_OF_NOTHING, outcome: 'paid', externalId: 'T-2031-0042' }] },
  refused: { outcomes: [{ id: ID_OF_NOTHING, outcome: 'refused', code: 'user-closed' }] },
  'waits for the user': {
    outcomes: [{ id: ID_OF_NOTHING, outcome: 'needs-user', action: 'Confirm the transfer in the app.' }],
  },
};

export const OUTCOME_RESULTS = ['applied', 'unchanged', 'finding', 'not-found'] as const;
export type OutcomeResult = (typeof OUTCOME_RESULTS)[number];

export class OutcomeResultDto {
  @ApiProperty({ example: '42' })
  readonly id!: string;

  @ApiProperty({
    enum: OUTCOME_RESULTS,
    description:
      '`unchanged`: it was in this state before. `finding`: the outcome contradicts the state, so nothing was ' +
      'changed, and somebody has to look.',
  })
  readonly result!: OutcomeResult;

  @ApiProperty({
    enum: PAYOUT_STATES,
    nullable: true,
    type: String,
    description: 'The state of the payout now.',
  })
  readonly state!: PayoutState | null;
}

export class OutcomeResultsDto {
  @ApiProperty({ type: [OutcomeResultDto], description: 'In the order of the outcomes.' })
  readonly results!: OutcomeResultDto[];
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
      'Findings of the file that are open still: those about payouts of the caller, and those beyond 50,000, which ' +
      'another request ends.',
  })
  readonly left!: number;
}

export function toPayoutDto(
  { amountMinor, createdAt, endedAt, ...row }: PayoutRow,
  currency: Currency,
): PayoutDto {
  const { id, state, userId, channelId, attempt, externalId, code, action } = row;
  return {
    id,
    state,
    userId,
    amount: currency.format(amountMinor),
    currency: currency.code,
    channelId,
    attempt,
    externalId,
    code,
    action,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
