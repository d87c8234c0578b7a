import { type EventName, EVENTS, messageIdOf, type Notification, publicDataOf } from '../notification';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** The form of receivers: `whsec_` and base64. */
  readonly secret: string;
}

/** An operator sends it to one webhook, whatever events that receives. */
export const TEST_EVENT = 'webhook.test';

export const MESSAGE_TYPES = [...EVENTS, TEST_EVENT] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

/** `body` is signed and sent, the same text in every attempt. */
export interface WebhookMessage {
  /** The same for all webhooks: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  readonly event: MessageType;
  readonly body: string;
}

export function toWebhookMessage(notification: Notification): WebhookMessage {
  const { event, data } = notification;
  const body = { type: event, timestamp: data.at, data: publicDataOf(notification) };
  return { id: messageIdOf(notification), event, body: JSON.stringify(body) };
}
