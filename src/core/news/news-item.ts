import type {
  ACTIVITY_EXAMPLES,
  ActivityEventDto,
  EventDto,
  PACKET_EXAMPLES,
  PacketEventDto,
} from './event-data.dto';

/** Each event has some fields of its own as well. */
export interface EventData {
  /** Undefined when the event is not about one activity. */
  readonly activityId?: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** Something that happened, and was committed. */
export interface NewsItem<Name extends string = string, Data extends EventData = EventData> {
  /** The same however often it is published: `[A-Za-z0-9.-]+`. */
  readonly id: string;
  /** The name of one of the defined events. */
  readonly event: Name;
  /** Undefined when the item is for all who watch the activity. */
  readonly userId?: string;
  readonly data: Data;
}

/** The part of an event's `data` that its publisher knows: listeners add the rest. */
export type DataOf<Dto extends EventDto> = Omit<Dto, 'messageId' | 'userId'>;

export type NewsOfPacket = NewsItem<keyof typeof PACKET_EXAMPLES, DataOf<PacketEventDto>>;
export type NewsOfActivity = NewsItem<keyof typeof ACTIVITY_EXAMPLES, DataOf<ActivityEventDto>>;
