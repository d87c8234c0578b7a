export { packetOf, PACKETS_PER_ACTIVITY, redPacketId } from './red-packet-id';
