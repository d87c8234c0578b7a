import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PayoutEstimateDto } from '../payout';

export const VERDICTS = ['ok', 'warn', 'stop'] as const;
export type Verdict = (typeof VERDICTS)[number];

const CHECKS = ['books', 'packets', 'tickets', 'channel', 'clocks', 'memory', 'workers'] as const;

export class PreflightCheckDto {
  @ApiProperty({ enum: CHECKS })
  readonly name!: (typeof CHECKS)[number];

  @ApiProperty({ enum: VERDICTS })
  readonly verdict!: Verdict;

  @ApiProperty({ example: 'The escrow holds all that is promised.' })
  readonly reason!: string;
}

export class PreflightDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ enum: VERDICTS, description: 'The worst of the checks.' })
  readonly verdict!: Verdict;

  @ApiProperty({ type: [PreflightCheckDto] })
  readonly checks!: PreflightCheckDto[];

  @ApiPropertyOptional({
    type: PayoutEstimateDto,
    description: 'Where the channel is called: how long the payouts take if all is won now.',
  })
  readonly payout?: PayoutEstimateDto;
}
