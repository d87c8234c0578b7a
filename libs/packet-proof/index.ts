export { canonicalJson } from './canonical-json';
export {
  isCommittedSeed,
  isHash,
  type PacketProof,
  type PathStep,
  provesPacket,
  type PublishedBatch,
} from './packet-proof';
