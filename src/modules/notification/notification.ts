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
