import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EventName, PublicData } from './notification';

class EventDto {
  @ApiProperty({
    example: 'claim_42_credited',
    description:
      'Identifies the event, in event streams and as `webhook-id`. Drop a second message with the same id.',
  })
  readonly messageId!: string;

  @ApiProperty({ format: 'date-time', description: 'The moment of the event.' })
  readonly at!: string;
}

/** `data` of an event that is sent to all who watch an activity. */
export class ActivityEventDto extends EventDto {
  @ApiProperty({ example: '2' })
  readonly activityId!: string;
}

export class PacketEventDto extends ActivityEventDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '20000010' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '8.56' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;
}

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

  @ApiPropertyOptional({ example: 'user-closed', description: 'The reason of a refusal.' })
  readonly code?: string;

  @ApiPropertyOptional({
    example: 'Confirm it in the app.',
    description: 'The step that the user has to take.',
  })
  readonly action?: string;
}

const DATA: Record<EventName, Type<EventDto>> = {
  'packet.confirmed': PacketEventDto,
  'wallet.credited': PacketEventDto,
  'waitlist.assigned': PacketEventDto,
  'activity.opened': ActivityEventDto,
  'activity.sold-out': ActivityEventDto,
  'activity.closed': ActivityEventDto,
  'payout.paid': PayoutEventDto,
  'payout.refused': PayoutEventDto,
  'payout.needs-user': PayoutEventDto,
  'payout.returned': PayoutEventDto,
};

export const dataOf = (event: EventName): Type<EventDto> => DATA[event];

const ABOUT = { activityId: '2', at: '2031-01-01T00:00:00.000Z' };
const WON = { ...ABOUT, userId: 'u1', redPacketId: '20000010', amount: '8.56', currency: 'CNY' };
const PAYOUT = {
  ...{ at: ABOUT.at, userId: 'u1', payoutId: '42', channelId: '1', amount: '7.10', currency: 'CNY' },
};

export const EXAMPLES: Record<EventName, PublicData> = {
  'packet.confirmed': { messageId: 'claim_42_confirmed', ...WON },
  'wallet.credited': { messageId: 'claim_42_credited', ...WON },
  'waitlist.assigned': { messageId: 'waitlist_20000010_assigned', ...WON },
  'activity.opened': { messageId: '2_activity_opened_10', ...ABOUT },
  'activity.sold-out': { messageId: '2_activity_sold-out_10', ...ABOUT },
  'activity.closed': { messageId: '2_closed', ...ABOUT },
  'payout.paid': { messageId: 'payout_42_97', ...PAYOUT },
  'payout.refused': { messageId: 'payout_42_97', ...PAYOUT, code: 'user-closed' },
  'payout.needs-user': { messageId: 'payout_42_97', ...PAYOUT, action: 'Confirm it in the app.' },
  'payout.returned': { messageId: 'payout_42_98', ...PAYOUT },
};
