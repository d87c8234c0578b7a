import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant } from '../../../platform/http';
import { PayoutDto } from '../book/payout.dto';
import { PAYOUT_STATES, type PayoutState } from '../book/payout-state';
import { FindingDto } from './finding.dto';

export class PayoutStepDto {
  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;

  @ApiProperty({ enum: PAYOUT_STATES })
  readonly state!: PayoutState;

  @ApiProperty({ type: 'object', additionalProperties: true, example: { externalId: 'T-1' } })
  readonly detail!: object;
}

export class PayoutStoryDto extends PayoutDto {
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description:
      'When the channel was last asked to pay it, or last read it. Null if neither has happened, or if it has ' +
      'certainly not taken it.',
  })
  readonly lastSentAt!: string | null;

  @ApiProperty({ type: [PayoutStepDto], description: 'Its steps, oldest first.' })
  readonly steps!: PayoutStepDto[];

  @ApiProperty({ type: [FindingDto], description: 'Findings about it, oldest first.' })
  readonly findings!: FindingDto[];
}
