import { applyDecorators } from '@nestjs/common';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { must } from '../../../libs/problem';
import { URL_LENGTH_MAX } from '../../../libs/public-address';
import {
  exampleInstant,
  IsAnyText,
  isId,
  IsList,
  IsText,
  Judged,
  Omittable,
  Removable,
} from '../../platform/http';
import { eventNames } from '../../core/news';
import { ANY_EVENT } from '../notification';
import { TEST_EVENT } from './webhook';

const REPLAYED_BY_ID_MAX = 100;

const isRepeating = (value: unknown): boolean => Array.isArray(value) && new Set(value).size < value.length;

const AreEvents = (description: string): PropertyDecorator =>
  applyDecorators(
    Omittable({ enum: [ANY_EVENT], isArray: true, example: ['wallet.credited'], description }),
    Judged('isUnique', (value) =>
      isRepeating(value) ? must.beUnique('must not name an event twice') : undefined,
    ),
    IsList({
      isItem: (item) => eventNames().includes(item as string),
      get fault() {
        return must.beOneOf(eventNames(), `must be some of ${eventNames().join(', ')}`);
      },
      verb: 'name',
      noun: 'event',
      get maximum() {
        return eventNames().length;
      },
    }),
  );

export class CreateWebhookBody {
  @ApiProperty({
    example: 'https://partner.example/hongbao',
    maxLength: URL_LENGTH_MAX,
    description: 'An https URL at a public address.',
  })
  @IsAnyText()
  readonly url!: string;

  @AreEvents('Events that the webhook receives. By default, all events that exist today.')
  readonly events?: string[];

  @Omittable({ example: 'The shop of our partner', minLength: 1, maxLength: 200 })
  @IsText({ min: 1, max: 200 })
  readonly description?: string;
}

export class ChangeWebhookBody {
  @AreEvents(
    'The events that it receives from now on, within two seconds. Messages that wait are still delivered.',
  )
  readonly events?: string[];

  @Removable({ type: String, example: 'The shop of our partner', minLength: 1, maxLength: 200 })
  @IsText({ min: 1, max: 200 })
  readonly description?: string | null;
}

export class WebhookDto {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ example: 'https://partner.example/hongbao' })
  readonly url!: string;

  @ApiProperty({ enum: [ANY_EVENT], isArray: true })
  readonly events!: string[];

  @ApiProperty({ type: String, nullable: true, example: 'The shop of our partner' })
  readonly description!: string | null;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class CreatedWebhookDto extends WebhookDto {
  @ApiProperty({
    example: 'whsec_…',
    description: 'The key that signs its messages, in base64 after the prefix. It is not shown again.',
  })
  readonly secret!: string;
}

export class WebhookListDto {
  @ApiProperty({ type: [WebhookDto] })
  readonly items!: WebhookDto[];
}

export class UndeliveredDto {
  @ApiProperty({ example: '7' })
  readonly id!: string;

  @ApiProperty({ example: 'claim_42_credited', description: 'The `webhook-id` of the message.' })
  readonly messageId!: string;

  @ApiProperty({ enum: [ANY_EVENT, TEST_EVENT] })
  readonly event!: string;

  @ApiProperty({ type: 'integer', example: 8 })
  readonly attempts!: number;

  @ApiProperty({ example: 'answered 500', description: 'The failure of the last attempt.' })
  readonly lastError!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly updatedAt!: string;
}

export class ReplayUndeliveredBody {
  @Omittable({
    type: [String],
    example: ['7'],
    maxItems: REPLAYED_BY_ID_MAX,
    description: 'Only these dead letters. By default, all of the webhook.',
  })
  @IsList({
    isItem: isId,
    fault: must.beA('list-of-ids'),
    verb: 'name',
    noun: 'dead letter',
    mayBeEmpty: true,
    maximum: REPLAYED_BY_ID_MAX,
  })
  readonly ids?: string[];
}

export class ReplayedMessagesDto {
  @ApiProperty({
    type: 'integer',
    example: 12,
    description: 'Messages that are being delivered again. Repeat the call while this is 1000.',
  })
  readonly replayed!: number;
}

const DELIVERY_STATES = ['waiting', 'sending', 'retrying', 'delivered'] as const;

export class DeliveryDto {
  @ApiProperty({ example: 'claim_42_credited', description: 'Its `webhook-id`.' })
  readonly messageId!: string;

  @ApiProperty({ enum: [ANY_EVENT, TEST_EVENT] })
  readonly event!: string;

  @ApiProperty({ enum: DELIVERY_STATES })
  readonly state!: (typeof DELIVERY_STATES)[number];

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Attempts so far.' })
  readonly attempts!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The failure of the last attempt, while the message is retried.',
  })
  readonly lastError!: string | null;

  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(0),
    description: 'The time of its delivery; before that, of its arrival.',
  })
  readonly at!: string;
}

const MESSAGE_STATES = [...DELIVERY_STATES, 'dead'] as const;

export class WebhookTryDto {
  @ApiProperty({ format: 'date-time', example: exampleInstant(0), description: 'When it began.' })
  readonly at!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 120, description: 'In milliseconds.' })
  readonly tookMs!: number;

  @ApiProperty({
    example: 'answered 500',
    description:
      'The answer to the attempt. Bodies of answers are not read, because they could come from internal ' +
      'hosts.',
  })
  readonly result!: string;
}

export class WebhookMessageDto extends PickType(DeliveryDto, ['messageId', 'event', 'attempts']) {
  @ApiProperty({ enum: MESSAGE_STATES })
  readonly state!: (typeof MESSAGE_STATES)[number];

  @ApiProperty({
    type: String,
    nullable: true,
    example: '7',
    description: 'The id by which it can be delivered again.',
  })
  readonly deadLetterId!: string | null;

  @ApiProperty({
    example: '{"type":"wallet.credited","timestamp":"2031-01-01T00:00:00.000Z","data":{}}',
    description: 'The text that is signed and sent.',
  })
  readonly body!: string;

  @ApiProperty({ type: [WebhookTryDto], description: 'The latest 20, oldest first.' })
  readonly tries!: WebhookTryDto[];
}

export class DeliveryListDto {
  @ApiProperty({ type: [DeliveryDto] })
  readonly items!: DeliveryDto[];
}

export class TestMessageDto {
  @ApiProperty({ example: 'test_8c0d6b9e-4e8f-4f57-9d0c-1f3a5f0f2d11', description: 'Its `webhook-id`.' })
  readonly messageId!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly at!: string;
}

/** `data` of a message that tests a webhook. */
export class TestDataDto extends TestMessageDto {
  @ApiProperty({ example: '1' })
  readonly webhookId!: string;
}
