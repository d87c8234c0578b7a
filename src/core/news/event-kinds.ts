import type { Type } from '@nestjs/common';
import { invariant } from '../../../libs/invariant';
import {
  ACTIVITY_EXAMPLES,
  ActivityEventDto,
  type EventDto,
  PACKET_EXAMPLES,
  PacketEventDto,
} from './event-data.dto';

/** Events whose `data` has one class. */
export interface EventKind<Dto extends EventDto = EventDto> {
  readonly data: Type<Dto>;
  /** An example of `data` by the name of each event. */
  readonly examples: Readonly<Record<string, Dto>>;
}

const kinds: EventKind[] = [
  { data: PacketEventDto, examples: PACKET_EXAMPLES },
  { data: ActivityEventDto, examples: ACTIVITY_EXAMPLES },
];

/**
 * Defines kinds of events. The module that publishes them defines them, and documents list them in this
 * order:
 *
 *     defineEvents({ data: GiftEventDto, examples: { 'gift.sent': { messageId: 'gift_42_sent', at } } });
 */
export function defineEvents<Dto extends EventDto>(kind: EventKind<Dto>): void {
  const names = eventNames();
  for (const name of Object.keys(kind.examples))
    invariant(!names.includes(name), () => `The event ${name} is defined twice.`);
  kinds.push(kind);
}

/**
 * All events. A decorator must not ask for them: an extension that is imported later may define more.
 */
export const eventKinds = (): readonly EventKind[] => kinds;

export const eventNames = (): string[] => kinds.flatMap(({ examples }) => Object.keys(examples));
