import { eventNames } from '../../core/news';
import { messageIdOf, type Notification, publicDataOf } from '../notification';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  /** The form of receivers: `whsec_` and base64. */
  readonly secret: string;
}

/** An operator sends it to one webhook, whatever events that receives. */
export const TEST_EVENT = 'webhook.test';

export const messageTypes = (): string[] => [...eventNames(), TEST_EVENT];

/** `body` is signed and sent, the same text in every attempt. */
export interface WebhookMessage {
  /** The same for all webhooks: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  /** One of {@link messageTypes}. */
  readonly event: string;
  readonly body: string;
}

export function toWebhookMessage(notification: Notification): WebhookMessage {
  const { event, data } = notification;
  const body = { type: event, timestamp: data.at, data: publicDataOf(notification) };
  return { id: messageIdOf(notification), event, body: JSON.stringify(body) };
}
