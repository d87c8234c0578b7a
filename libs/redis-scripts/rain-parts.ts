import type { Place } from './redis-keys';

/** Taps per second that one master can take, as measured. */
const TAPS_PER_MASTER = 100_000;

/** Parts with fewer packets run dry at moments that differ too much. */
export const PACKETS_PER_PART_MIN = 1_000;

/** A limit above the number of masters of any installation. */
export const PARTS_MAX = 64;

export interface RainSize {
  readonly packetCount: number;
  readonly tapsPerSecond: number;
  readonly masters: number;
}

/** Returns as many parts as the taps need, limited by masters and packets; at least one. */
export function choosePartCount({ packetCount, tapsPerSecond, masters }: RainSize): number {
  const needed = Math.ceil(tapsPerSecond / TAPS_PER_MASTER);
  const filled = Math.floor(packetCount / PACKETS_PER_PART_MIN);
  return Math.max(1, Math.min(masters, needed, filled, PARTS_MAX));
}

/** The permanent part of a packet, as Postgres computes it. */
export const partOfPacket = (no: number, dealtOver: number): number => no % dealtOver;

/** Returns the part at which a user begins. It must never change: the notes of packets won elsewhere are there. */
export const homeOf = (activityId: string, userId: string, parts: number): number =>
  parts === 1 ? 0 : spread(`${activityId}/${userId}`, parts);

/** Returns a number below `count`: FNV-1a, mixed so that its last digits depend on every character. */
export function spread(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % count;
}

export const homeAmong = (places: readonly Place[], userId: string): Place =>
  places[homeOf(places[0]!.id, userId, places.length)]!;
