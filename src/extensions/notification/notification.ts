export const EVENTS = [
  'packet.confirmed',
  'wallet.credited',
  'waitlist.assigned',
  'activity.opened',
  'activity.sold-out',
  'activity.closed',
  'payout.paid',
  'payout.refused',
  'payout.needs-user',
  'payout.returned',
] as const;

export type EventName = (typeof EVENTS)[number];

/** Fields are present where they apply. */
export interface EventData {
  /** Present unless the event is of a payout, which may gather wins of several activities. */
  readonly activityId?: string;
  readonly payoutId?: string;
  readonly channelId?: string;
  readonly code?: string;
  readonly action?: string;
  readonly redPacketId?: string;
  /** A decimal string with the currency's digits. */
  readonly amount?: string;
  readonly currency?: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

export interface Notification {
  /** The same however often it is published: `[A-Za-z0-9.-]+`. */
  readonly id: string;
  readonly event: EventName;
  /** Undefined when the notification is for all who watch the activity. */
  readonly userId?: string;
  readonly data: EventData;
}

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
