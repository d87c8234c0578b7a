import { ApiProperty } from '@nestjs/swagger';
import { type Phase, PHASES } from '../../core/activity';
import { exampleInstant } from '../../platform/http';
import { CORRECTIONS, type CorrectionKind } from './corrections';

const COUNT = { type: 'integer', minimum: 0 } as const;

class TapsDto {
  @ApiProperty({ ...COUNT, example: 200, description: 'Winning taps.' })
  readonly won!: number;

  @ApiProperty({ ...COUNT, example: 40, description: 'Taps by users who already had their packet.' })
  readonly already!: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Taps whose packet was reserved but is not confirmed yet.',
  })
  readonly reserved!: number;

  @ApiProperty({ ...COUNT, example: 1200 })
  readonly soldOut!: number;

  @ApiProperty({ ...COUNT, example: 12 })
  readonly notOpen!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps before the next packets were released.' })
  readonly notYet!: number;

  @ApiProperty({ ...COUNT, example: 3 })
  readonly closed!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Taps by users who have won as often as they may.' })
  readonly limit!: number;

  @ApiProperty({ ...COUNT, example: 20000, description: 'Total time of all answers.' })
  readonly milliseconds!: number;
}

export class ProgressDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ enum: PHASES, description: 'The phase by the same look at Redis as `packetsLeft`.' })
  readonly phase!: Phase;

  @ApiProperty({
    type: TapsDto,
    nullable: true,
    description:
      'Grabs by outcome, kept for a day after the last, without those answered with a problem. A process ' +
      'that is killed loses its last second. Null while Redis is down.',
  })
  readonly taps!: TapsDto | null;

  @ApiProperty({ ...COUNT, nullable: true, example: 0, description: 'Null while Redis is down.' })
  readonly packetsLeft!: number | null;

  @ApiProperty({
    ...COUNT,
    nullable: true,
    example: 30,
    description: 'Users waiting for a packet. Null while Redis is down.',
  })
  readonly waiting!: number | null;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    nullable: true,
    example: 0.4,
    description: 'Age of the oldest unpaid win. Null if all are paid.',
  })
  readonly oldestUnpaidSeconds!: number | null;
}

class JournalDto {
  @ApiProperty({ ...COUNT, example: 12, description: 'Undecided entries.' })
  readonly entries!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 0.2,
    description: 'Age of the oldest, 0 when there is none.',
  })
  readonly oldestSeconds!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Unreadable entries.' })
  readonly quarantined!: number;
}

class MoneyDto {
  @ApiProperty({ ...COUNT, example: 4, description: 'Wins that are neither paid nor dead letters.' })
  readonly unpaid!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 0.4,
    description: 'Age of the oldest, 0 when there is none.',
  })
  readonly oldestUnpaidSeconds!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'Open dead letters.' })
  readonly deadLetters!: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Messages that are waiting for a webhook, or that it did not accept.',
  })
  readonly undelivered!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Pending approvals.' })
  readonly approvals!: number;
}

class SystemDto {
  @ApiProperty({
    type: 'number',
    minimum: 0,
    nullable: true,
    example: 0.4,
    description: 'Time since a worker last signed, which is once a second. Null if none has for a minute.',
  })
  readonly workerSeenSecondsAgo!: number | null;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 0.12,
    description: 'The share of its memory that Redis uses, on the fullest server. 0 if there is no limit.',
  })
  readonly memoryShare!: number;

  @ApiProperty({ example: true, description: 'False while Redis refuses writes: nobody can win.' })
  readonly takesWrites!: boolean;

  @ApiProperty({
    type: 'number',
    nullable: true,
    example: 0.1,
    description:
      'How far the clock of Redis is ahead of the clock of Postgres. Null before they are compared.',
  })
  readonly clockLeadSeconds!: number | null;

  @ApiProperty({
    example: true,
    description: 'False while the clocks differ by more than `CLOCK_SKEW_MAX_MS`.',
  })
  readonly clocksAgree!: boolean;
}

class OutboundDto {
  @ApiProperty({ example: '1' })
  readonly channelId!: string;

  @ApiProperty({ example: 'Shop balance' })
  readonly name!: string;

  @ApiProperty({ example: false })
  readonly paused!: boolean;

  @ApiProperty({ example: false, description: 'True while its calls fail, so nothing is sent to it.' })
  readonly circuitOpen!: boolean;

  @ApiProperty({
    ...COUNT,
    example: 12,
    description: 'Unfinished payouts, without those under review; at most 10,000 are counted.',
  })
  readonly payouts!: number;

  @ApiProperty({ example: '85.20', description: 'The amount that these payouts have taken from wallets.' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    example: 0.4,
    description:
      'Time since the oldest of them was last sent or, if it was never sent, requested. 0 if there is none.',
  })
  readonly oldestSeconds!: number;

  @ApiProperty({
    ...COUNT,
    example: 3,
    description: 'Credits that are not in a payout yet; at most 10,000 are counted.',
  })
  readonly unsent!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Open findings.' })
  readonly findings!: number;
}

export class CorrectionDto {
  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;

  @ApiProperty({ enum: CORRECTIONS })
  readonly what!: CorrectionKind;

  @ApiProperty({ type: 'integer', minimum: 1, example: 12 })
  readonly count!: number;
}

export class OverviewDto {
  @ApiProperty({ type: SystemDto, nullable: true, description: 'Null while Redis is down.' })
  readonly system!: SystemDto | null;

  @ApiProperty({ type: JournalDto, nullable: true, description: 'Null while Redis is down.' })
  readonly journal!: JournalDto | null;

  @ApiProperty({ type: MoneyDto, nullable: true, description: 'Null while Postgres is down.' })
  readonly money!: MoneyDto | null;

  @ApiProperty({
    type: [OutboundDto],
    nullable: true,
    description: 'Each payout channel. Null while Postgres is down.',
  })
  readonly outbound!: OutboundDto[] | null;

  @ApiProperty({
    type: [CorrectionDto],
    nullable: true,
    description: 'Recent corrections, newest first. Null while Redis is down.',
  })
  readonly corrections!: CorrectionDto[] | null;
}
