import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { EventName, PublicData } from './notification';

/** `data` of an event that is sent to all who watch an activity. */
export class ActivityEventDto {
  @ApiProperty({
    example: 'claim_42_credited',
    description:
      'Identifies the event, in event streams and as `webhook-id`. Drop a second message with the same id.',
  })
  readonly messageId!: string;

  @ApiProperty({ example: '2' })
  readonly activityId!: string;

  @ApiProperty({ format: 'date-time', description: 'The moment of the event.' })
  readonly at!: string;
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

const DATA: Record<EventName, Type<ActivityEventDto>> = {
  'packet.confirmed': PacketEventDto,
  'wallet.credited': PacketEventDto,
  'waitlist.assigned': PacketEventDto,
  'activity.opened': ActivityEventDto,
  'activity.sold-out': ActivityEventDto,
  'activity.closed': ActivityEventDto,
};

export const dataOf = (event: EventName): Type<ActivityEventDto> => DATA[event];

const ABOUT = { activityId: '2', at: '2031-01-01T00:00:00.000Z' };
const WON = { ...ABOUT, userId: 'u1', redPacketId: '20000010', amount: '8.56', currency: 'CNY' };

export const EXAMPLES: Record<EventName, PublicData> = {
  'packet.confirmed': { messageId: 'claim_42_confirmed', ...WON },
  'wallet.credited': { messageId: 'claim_42_credited', ...WON },
  'waitlist.assigned': { messageId: 'waitlist_20000010_assigned', ...WON },
  'activity.opened': { messageId: '2_activity_opened_10', ...ABOUT },
  'activity.sold-out': { messageId: '2_activity_sold-out_10', ...ABOUT },
  'activity.closed': { messageId: '2_closed', ...ABOUT },
};
