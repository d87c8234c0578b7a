import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { eventKinds } from '../../core/news';
import { TEST_EVENT } from './webhook';
import { TestDataDto } from './webhook.dto';

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;

const header = (name: string, description: string, example: string) => ({
  in: 'header' as const,
  name,
  required: true,
  description,
  schema: { type: 'string' as const, example },
});

const SIGNATURE = [
  header('webhook-id', 'The `messageId`: drop a message whose id has arrived before.', 'claim_42_credited'),
  header('webhook-timestamp', 'When this attempt began, in seconds since 1970.', '1924992000'),
  header(
    'webhook-signature',
    '`v1,` and HMAC-SHA256 over `<id>.<timestamp>.<body>` in base64, as in Standard Webhooks.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const TEST_EXAMPLE = {
  messageId: 'test_8c0d6b9e-4e8f-4f57-9d0c-1f3a5f0f2d11',
  webhookId: '1',
  at: '2031-01-01T00:00:00.000Z',
};

/** The messages of a webhook, type by type, for the API document. */
export function eventWebhooks(): Webhooks {
  const test = { data: TestDataDto, examples: { [TEST_EVENT]: TEST_EXAMPLE } };
  return Object.fromEntries(
    [...eventKinds(), test].flatMap(({ data, examples }) =>
      Object.entries(examples).map(([type, example]) => [type, { post: requestOf(type, data, example) }]),
    ),
  );
}

function requestOf(type: string, dto: Type<{ readonly at: string }>, data: { readonly at: string }) {
  return {
    operationId: `receive${type.replace(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase())}`,
    summary: type === TEST_EVENT ? 'Tests a webhook' : `Notifies a webhook of ${type}`,
    description: 'Arrives at least once, in no particular order. `timestamp` is the moment of the event.',
    tags: ['webhooks'],
    security: [],
    parameters: SIGNATURE,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: messageOf(type, dto), example: { type, timestamp: data.at, data } },
      },
    },
    responses: {
      '2XX': { description: 'Received. The body of the answer is not read.' },
      '410': { description: 'No further attempts are made.' },
      default: { description: 'The message is sent again later.' },
    },
  };
}

function messageOf(type: string, data: Type) {
  return {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string' as const, enum: [type] },
      timestamp: { type: 'string' as const, format: 'date-time' },
      data: { $ref: getSchemaPath(data) },
    },
  };
}
