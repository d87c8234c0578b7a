import type { OpenAPIObject } from '@nestjs/swagger';
import { asyncApi } from '../../src/extensions/gateway';

type Schemas = Record<string, object>;

interface Webhook {
  readonly post: { readonly requestBody: { readonly content: Record<string, { readonly schema: object }> } };
}

interface AsyncApi {
  readonly channels: {
    readonly gateway: { readonly messages: Record<string, { readonly payload: object }> };
  };
  readonly operations: Record<string, { readonly messages: readonly { readonly $ref: string }[] }>;
}

/** The messages that this system sends: those of webhooks as one union, and the frames of the gateway. */
export const messageSchemas = (document: OpenAPIObject): Schemas => ({
  WebhookMessage: {
    oneOf: Object.values(document.webhooks as Record<string, Webhook>).map(
      ({ post }) => post.requestBody.content['application/json']!.schema,
    ),
  },
  ...frameSchemas(asyncApi(document) as AsyncApi),
});

/** A schema for each frame, and one for all that bring news. */
function frameSchemas({ channels, operations }: AsyncApi): Schemas {
  const frames = Object.entries(channels.gateway.messages).map(([name, { payload }]) => [
    frameOf(name),
    payload,
  ]);
  const news = operations.news!.messages.map(({ $ref }) => frameOf($ref.split('/').at(-1)!));
  return {
    ...(Object.fromEntries(frames) as Schemas),
    NewsFrame: { oneOf: news.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
  };
}

const frameOf = (message: string): string =>
  `${message.replace(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase())}Frame`;
