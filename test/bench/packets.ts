import type { Packet, PacketPage } from '../../libs/redis-scripts';

/** Formats packets as the loader sends them. */
export const pageOf = (packets: readonly Packet[]): PacketPage => ({
  text: packets.map(({ no, amountMinor }) => `${no}:${amountMinor}`).join(' '),
  lastNo: packets.at(-1)!.no,
});
