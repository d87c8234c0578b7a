import type { EventData, NewsItem } from '../../core/news';

/** News on its way to those who listen. */
export type Notification = NewsItem;

/** The data of an event as clients read it, in event streams, gateway and webhooks. */
export interface PublicData extends EventData {
  readonly messageId: string;
  readonly userId?: string;
}

/**
 * The id of an event, in event streams and as `webhook-id`: `[A-Za-z0-9_-]+`. A webhook's signature
 * covers id, timestamp and body, joined by full stops: with one in the id, the same signature would
 * also fit other parts. No notification's id has an underscore, so two ids never become one.
 */
export const messageIdOf = ({ id }: Notification): string => id.replaceAll('.', '_');

export function publicDataOf(notification: Notification): PublicData {
  const { userId, data } = notification;
  return { messageId: messageIdOf(notification), userId, ...data };
}
