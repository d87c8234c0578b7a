export * from './dispenser';
export { keySlot, hashTagOf, SLOT_COUNT } from './key-slot';
export type { HeldPacket, Packet } from './packet';
export { RedisKeys, type ActivityKeys } from './redis-keys';
export { checkHeader, ScriptHeaderMismatch, type ScriptDefinition } from './script';
export { activityTopic, eventKeys, userTopic } from './event-keys';
export { type InboxEntry, Inboxes, type OpenInboxes, type Position, type TopicEvent } from './inboxes';
export { Lease } from './lease';
export { type Message, MessageStream, type Received } from './message-stream';
