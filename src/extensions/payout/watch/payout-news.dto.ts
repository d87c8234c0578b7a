import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type DataOf, defineEvents, EventDto, type NewsItem } from '../../../core/news';

export class PayoutEventDto extends EventDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '42' })
  readonly payoutId!: string;

  @ApiProperty({ example: '1' })
  readonly channelId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiPropertyOptional({ example: 'user-closed', description: 'The reason for a refusal.' })
  readonly code?: string;

  @ApiPropertyOptional({
    example: 'Confirm it in the app.',
    description: 'The step that the user has to take.',
  })
  readonly action?: string;
}

const PAYOUT = {
  at: '2031-01-01T00:00:00.000Z',
  userId: 'u1',
  payoutId: '42',
  channelId: '1',
  amount: '7.10',
  currency: 'CNY',
};

const EXAMPLES = {
  'payout.paid': { messageId: 'payout_42_97', ...PAYOUT },
  'payout.refused': { messageId: 'payout_42_97', ...PAYOUT, code: 'user-closed' },
  'payout.needs-user': { messageId: 'payout_42_97', ...PAYOUT, action: 'Confirm it in the app.' },
  'payout.returned': { messageId: 'payout_42_98', ...PAYOUT },
};

defineEvents({ data: PayoutEventDto, examples: EXAMPLES });

export type NewsOfPayout = NewsItem<keyof typeof EXAMPLES, DataOf<PayoutEventDto>>;
