/** The events that clients know. */
export const EVENTS = [
  'packet.confirmed',
  'wallet.credited',
  'waitlist.assigned',
  'activity.opened',
  'activity.sold-out',
  'activity.closed',
] as const;

export type EventName = (typeof EVENTS)[number];

/** What clients read; fields are there where they apply. */
export interface EventData {
  readonly activityId: string;
  readonly redPacketId?: string;
  /** A decimal string with the currency's digits. */
  readonly amount?: string;
  readonly currency?: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** Something that happened, for one user or for all who watch an activity. */
export interface Notification {
  /** The same for the same happening, however often it is published: `[A-Za-z0-9.-]+`. */
  readonly id: string;
  readonly event: EventName;
  /** Missing when it is for all who watch the activity. */
  readonly userId?: string;
  readonly data: EventData;
}

/** What clients read, by whatever way it reaches them. */
export interface PublicData extends EventData {
  readonly messageId: string;
  readonly userId?: string;
}

/**
 * The one id of a happening, in event streams and as `webhook-id`: `[A-Za-z0-9_-]+`. Ids of notifications have full stops in
 * them, which separate id, timestamp and body in what is signed for a webhook: with one in the id, the same signature would
 * fit other parts as well. No id of ours has an underscore, so no two become one.
 */
export const messageIdOf = ({ id }: Notification): string => id.replaceAll('.', '_');

export function publicDataOf(notification: Notification): PublicData {
  const { userId, data } = notification;
  return { messageId: messageIdOf(notification), userId, ...data };
}
