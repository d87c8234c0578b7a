export { canonicalJson, type Json } from './canonical-json';
export { type PacketProof, provesPacket, type PublishedBatch } from './packet-proof';
