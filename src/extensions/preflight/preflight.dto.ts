import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PayoutEstimateDto } from '../payout';

export const VERDICTS = ['ok', 'warn', 'stop'] as const;
export type CheckVerdict = (typeof VERDICTS)[number];

const CHECKS = [
  'books',
  'packets',
  'tickets',
  'channel',
  'clocks',
  'memory',
  'workers',
  'rehearsal',
] as const;

/** Reasons by their code, which begins with the name of the check. */
export const REASONS = [
  ...(['books.balanced', 'books.broken'] as const),
  ...(['packets.held', 'packets.away', 'packets.not_open', 'packets.differ'] as const),
  ...(['tickets.not_needed', 'tickets.has_key', 'tickets.no_key'] as const),
  ...(['channel.none', 'channel.pays', 'channel.missing', 'channel.paused', 'channel.unpayable'] as const),
  ...(['clocks.not_compared', 'clocks.lead'] as const),
  ...(['memory.unlimited', 'memory.share', 'memory.refused'] as const),
  ...(['workers.running', 'workers.none', 'workers.unknown'] as const),
  ...(['rehearsal.held', 'rehearsal.broke', 'rehearsal.none'] as const),
] as const;
export type Reason = (typeof REASONS)[number];

export class PreflightCheckDto {
  @ApiProperty({ enum: CHECKS })
  readonly name!: (typeof CHECKS)[number];

  @ApiProperty({ enum: VERDICTS })
  readonly verdict!: CheckVerdict;

  @ApiProperty({ enum: REASONS, description: 'The reason, for programs and other languages.' })
  readonly code!: Reason;

  @ApiProperty({
    type: [String],
    example: ['1000.00 CNY'],
    description: 'The values in the reason, in the order of its words.',
  })
  readonly figures!: string[];

  @ApiProperty({ example: 'The books agree; the escrow holds 1000.00 CNY.' })
  readonly reason!: string;
}

export class PreflightDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ enum: VERDICTS, description: 'The worst of the checks.' })
  readonly verdict!: CheckVerdict;

  @ApiProperty({ type: [PreflightCheckDto] })
  readonly checks!: PreflightCheckDto[];

  @ApiPropertyOptional({
    type: PayoutEstimateDto,
    description: 'If the channel is called: how long the payouts take if everything is won now.',
  })
  readonly payout?: PayoutEstimateDto;
}
