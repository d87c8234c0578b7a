export * from './dispenser';
export { keySlot, hashTagOf, SLOT_COUNT } from './key-slot';
export type { HeldPacket, Packet } from './packet';
export { RedisKeys, type ActivityKeys } from './redis-keys';
export { checkHeader, ScriptHeaderMismatch, type ScriptDefinition } from './script';
