export { redPacketId } from './red-packet-id';
