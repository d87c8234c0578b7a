import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BackingField } from '../currency';

/** `data` of every event, as clients read it. */
export class EventDto {
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

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'In `activity.extended`: the end of its window from now on.',
  })
  readonly closesAt?: string;

  @BackingField('shown')
  readonly rehearsal?: true;
}

export class PacketEventDto extends EventDto {
  @ApiProperty({ example: '2' })
  readonly activityId!: string;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '20000010' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '8.56' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @BackingField('shown')
  readonly rehearsal?: true;
}

const ABOUT = { activityId: '2', at: '2031-01-01T00:00:00.000Z' };
const WON = { ...ABOUT, userId: 'u1', redPacketId: '20000010', amount: '8.56', currency: 'CNY' };

export const PACKET_EXAMPLES = {
  'packet.confirmed': { messageId: 'claim_42_confirmed', ...WON },
  'wallet.credited': { messageId: 'claim_42_credited', ...WON },
  'waitlist.assigned': { messageId: 'waitlist_20000010_assigned', ...WON },
};

export const ACTIVITY_EXAMPLES = {
  'activity.opened': { messageId: '2_activity_opened_10', ...ABOUT },
  'activity.sold-out': { messageId: '2_activity_sold-out_10', ...ABOUT },
  'activity.closed': { messageId: '2_closed', ...ABOUT },
  'activity.extended': {
    messageId: '2_extended_1924995600000',
    ...ABOUT,
    closesAt: '2031-01-01T01:00:00.000Z',
  },
};
