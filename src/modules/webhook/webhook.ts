import type { EventName, Notification } from '../notification';

/** Where an integrator wants to hear of some events. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[];
  /** `whsec_` and base64, as receivers have it. */
  readonly secret: string;
}

/** What a webhook hears: the text that is signed and sent, the same in every attempt. */
export interface WebhookMessage {
  /** The same for the same happening, to all webhooks: `[A-Za-z0-9_-]+`. */
  readonly id: string;
  readonly event: EventName;
  readonly body: string;
}

/**
 * Ids of notifications have full stops in them, which separate id, timestamp and body in what is signed: with one in the
 * id, the same signature would fit other parts as well. No id of ours has an underscore, so no two become one.
 */
export function toWebhookMessage({ id, event, userId, data }: Notification): WebhookMessage {
  const body = { type: event, timestamp: data.at, data: { userId, ...data } };
  return { id: id.replaceAll('.', '_'), event, body: JSON.stringify(body) };
}
