export { canonicalJson } from './canonical-json';
export { type PacketProof, type PathStep, provesPacket, type PublishedBatch } from './packet-proof';
