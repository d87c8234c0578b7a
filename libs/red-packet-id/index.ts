export { packetOf, redPacketId } from './red-packet-id';
