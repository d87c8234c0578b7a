import { type EventName, EVENTS, messageIdOf, type Notification, publicDataOf } from '../notification';

/** Where an integrator wants to hear of some events. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** `whsec_` and base64, as receivers have it. */
  readonly secret: string;
}

/** Sent when an operator asks for it, to one webhook, whatever events it has asked for. */
export const TEST_EVENT = 'webhook.test';

/** Every `type` that a message may have. */
export const MESSAGE_TYPES = [...EVENTS, TEST_EVENT] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

/** What a webhook hears: the text that is signed and sent, the same in every attempt. */
export interface WebhookMessage {
  /** The same for the same happening, to all webhooks: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  readonly event: MessageType;
  readonly body: string;
}

export function toWebhookMessage(notification: Notification): WebhookMessage {
  const { event, data } = notification;
  const body = { type: event, timestamp: data.at, data: publicDataOf(notification) };
  return { id: messageIdOf(notification), event, body: JSON.stringify(body) };
}
