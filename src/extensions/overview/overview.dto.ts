import { ApiProperty } from '@nestjs/swagger';
import { type Phase, PHASES } from '../../core/activity';
import { exampleInstant } from '../../platform/http';
import { SHOWN_RULES } from './alerts/alert-rules';
import { CORRECTIONS, type CorrectionKind } from './corrections';
import { REFUSAL_REASONS, type RefusalReason } from './refusals';

const COUNT = { type: 'integer', minimum: 0 } as const;
const SECONDS = { type: 'number', minimum: 0 } as const;

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

  @ApiProperty({ ...COUNT, example: 20000, description: 'The total time that all answers took.' })
  readonly milliseconds!: number;
}

export class ProgressDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ enum: PHASES, description: 'The phase, read from Redis together with `packetsLeft`.' })
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
    ...SECONDS,
    nullable: true,
    example: 0.4,
    description: 'Age of the oldest unpaid win. Null if all are paid.',
  })
  readonly oldestUnpaidSeconds!: number | null;
}

class JournalDto {
  @ApiProperty({ ...COUNT, example: 12, description: 'Undecided entries.' })
  readonly entries!: number;

  @ApiProperty({ ...SECONDS, example: 0.2, description: 'Age of the oldest, 0 when there is none.' })
  readonly oldestSeconds!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Unreadable entries.' })
  readonly quarantined!: number;
}

class MoneyDto {
  @ApiProperty({ ...COUNT, example: 4, description: 'Wins that are neither paid nor dead letters.' })
  readonly unpaid!: number;

  @ApiProperty({ ...SECONDS, example: 0.4, description: 'Age of the oldest, 0 when there is none.' })
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
    ...SECONDS,
    nullable: true,
    example: 0.4,
    description:
      'Time since a worker last reported that it is running, as it does twice a second. Null if none has ' +
      'for a minute.',
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

class QueueDto {
  @ApiProperty({ ...COUNT, example: 2, description: 'Settlement jobs that no worker has taken yet.' })
  readonly waiting!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'Jobs in progress.' })
  readonly active!: number;

  @ApiProperty({ ...COUNT, example: 0, description: 'Jobs that failed, and are tried again later.' })
  readonly delayed!: number;
}

class ClaimLogDto {
  @ApiProperty({
    ...SECONDS,
    example: 0.8,
    description:
      'Age of the oldest claim that is not in the log of claims, at most 10 seconds old itself. 0 if there is none, ' +
      'or the log was never begun.',
  })
  readonly behindSeconds!: number;
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
    example: false,
    description: 'True while an open finding, of it or of another channel, stops all payments through it.',
  })
  readonly heldByFinding!: boolean;

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
    ...SECONDS,
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

const ALL_PROCESSES = {
  example: true,
  description: 'False while Redis is down: then only the process that answers is counted.',
};

class RefusalDto {
  @ApiProperty({
    enum: REFUSAL_REASONS,
    description:
      '`unavailable` are taps that were answered 503, and `rate-limited` requests of all kinds that were answered 429.',
  })
  readonly reason!: RefusalReason;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1200 })
  readonly count!: number;
}

class RefusalsDto {
  @ApiProperty({ type: [RefusalDto], description: 'Refusals in the last minute, by reason.' })
  readonly lastMinute!: RefusalDto[];

  @ApiProperty(ALL_PROCESSES)
  readonly ofAllProcesses!: boolean;
}

class AlertDto {
  @ApiProperty({ enum: SHOWN_RULES.map(({ alert }) => alert), description: 'The name of its rule.' })
  readonly alert!: string;

  @ApiProperty({ enum: ['critical', 'warning'] })
  readonly severity!: 'critical' | 'warning';

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { channel: '1' },
    description: 'What the alert is about.',
  })
  readonly labels!: Record<string, string>;
}

class AlertsDto {
  @ApiProperty({
    type: [AlertDto],
    description:
      'The alerts that are firing, critical ones first: the rules of Prometheus, evaluated by the ' +
      'programs. `/docs/runbook` says which rules only Prometheus can evaluate.',
  })
  readonly firing!: AlertDto[];

  @ApiProperty(ALL_PROCESSES)
  readonly ofAllProcesses!: boolean;
}

export class OverviewDto {
  @ApiProperty({ type: SystemDto, nullable: true, description: 'Null while Redis is down.' })
  readonly system!: SystemDto | null;

  @ApiProperty({ type: JournalDto, nullable: true, description: 'Null while Redis is down.' })
  readonly journal!: JournalDto | null;

  @ApiProperty({ type: QueueDto, nullable: true, description: 'Null while Redis is down.' })
  readonly queue!: QueueDto | null;

  @ApiProperty({ type: RefusalsDto })
  readonly refusals!: RefusalsDto;

  @ApiProperty({ type: AlertsDto })
  readonly alerts!: AlertsDto;

  @ApiProperty({ type: ClaimLogDto, nullable: true, description: 'Null while Postgres is down.' })
  readonly claimLog!: ClaimLogDto | null;

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
