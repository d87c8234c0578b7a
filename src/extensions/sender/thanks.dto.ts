import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { type DataOf, defineEvents, EventDto, type NewsItem } from '../../core/news';
import { BackingField } from '../../core/currency';
import { IsText } from '../../platform/http';

const TEXT_LENGTH_MAX = 60;

export class ThankBody {
  @ApiProperty({
    example: '谢谢老板',
    minLength: 1,
    maxLength: TEXT_LENGTH_MAX,
    description: 'Stored in the Unicode form NFC, without surrounding spaces.',
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.normalize('NFC').trim() : value,
  )
  @IsText({ min: 1, max: TEXT_LENGTH_MAX })
  readonly text!: string;
}

/** What a winner has said to the sender of a packet. */
export class SaidThanksDto {
  @ApiProperty({ example: '谢谢老板' })
  readonly text!: string;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;
}

export class ThanksDto extends SaidThanksDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;
}

export class ThanksEventDto extends EventDto {
  @ApiProperty({ example: '2' })
  readonly activityId!: string;

  @ApiProperty({ example: 'u1', description: 'The sender of the packet, who is thanked.' })
  readonly userId!: string;

  @ApiProperty({ example: '20000010' })
  readonly redPacketId!: string;

  @ApiProperty({ example: 'u2', description: 'The winner.' })
  readonly thankedBy!: string;

  @ApiProperty({ example: '谢谢老板' })
  readonly text!: string;

  @ApiProperty({ example: '8.56' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @BackingField('shown')
  readonly rehearsal?: true;
}

const EXAMPLES = {
  'packet.thanked': {
    messageId: 'thanks_20000010',
    activityId: '2',
    at: '2031-01-01T00:00:00.000Z',
    userId: 'u1',
    redPacketId: '20000010',
    thankedBy: 'u2',
    text: '谢谢老板',
    amount: '8.56',
    currency: 'CNY',
  },
};

defineEvents({ data: ThanksEventDto, examples: EXAMPLES });

export type NewsOfThanks = NewsItem<keyof typeof EXAMPLES, DataOf<ThanksEventDto>>;
