import { getSchemaPath } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dataOf, type EventName, EVENTS, EXAMPLES } from '../notification';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

const text = (description: string, example: string) => ({
  required: true,
  description,
  schema: { type: 'string' as const, example },
});

const SIGNATURE = [
  {
    in: 'header' as const,
    name: 'webhook-id',
    ...text('The `messageId`: drop one that came before.', 'claim_42_credited'),
  },
  {
    in: 'header' as const,
    name: 'webhook-timestamp',
    ...text('When this attempt began, in seconds since 1970.', '1924992000'),
  },
  {
    in: 'header' as const,
    name: 'webhook-signature',
    ...text(
      '`v1,` and HMAC-SHA256 over `<id>.<timestamp>.<body>` in base64, as in Standard Webhooks.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
  },
];

/** The messages of a webhook, event by event, for the API document. */
export const eventWebhooks: Webhooks = Object.fromEntries(
  EVENTS.map((event) => [event, { post: requestOf(event) }]),
);

function requestOf(event: EventName) {
  const data = EXAMPLES[event];
  return {
    operationId: `receive${event.replace(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary: `Notifies a webhook of ${event}`,
    description: 'Arrives at least once, in no particular order. `timestamp` is the moment of the event.',
    tags: ['webhooks'],
    security: [],
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: messageOf(event),
          example: { type: event, timestamp: data.at, data },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received. The body of the answer is not read.' },
      '410': { description: 'No further attempt is made.' },
      default: { description: 'The message is sent again later.' },
    },
  };
}

function messageOf(event: EventName) {
  return {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string' as const, enum: [event] },
      timestamp: { type: 'string' as const, format: 'date-time' },
      data: { $ref: getSchemaPath(dataOf(event)) },
    },
  };
}
