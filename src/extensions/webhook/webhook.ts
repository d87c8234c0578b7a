import { eventNames } from '../../core/news';
import { messageIdOf, type Notification, publicDataOf } from '../notification';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  /** As receivers know it: `whsec_` and base64. */
  readonly secret: string;
}

/** An operator sends it to one webhook, whatever events that receives. */
export const TEST_EVENT = 'webhook.test';

export const messageTypes = (): string[] => [...eventNames(), TEST_EVENT];

/** Ids of messages. */
export const MESSAGE_ID = /^[A-Za-z0-9_-]{1,200}$/;

/** `body` is signed and sent, the same text in every attempt. */
export interface WebhookMessage {
  /** The same for all webhooks: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  /** One of {@link messageTypes}. */
  readonly event: string;
  readonly body: string;
}

/** An attempt to deliver a message. */
export interface Try {
  /** When it began. */
  readonly at: string;
  readonly tookMs: number;
  /** What came back, such as `answered 500`; without the body of the answer. */
  readonly result: string;
}

/** The latest attempts that are kept of a message. */
export const TRIES_MAX = 20;

export const withTry = (tries: readonly Try[] | undefined, latest: Try): Try[] =>
  [...(tries ?? []), latest].slice(-TRIES_MAX);

export function toWebhookMessage(notification: Notification): WebhookMessage {
  const { event, data } = notification;
  const body = { type: event, timestamp: data.at, data: publicDataOf(notification) };
  return { id: messageIdOf(notification), event, body: JSON.stringify(body) };
}
