export { canonicalJson } from './canonical-json';
export {
  isCommittedSeed,
  type PacketProof,
  type PathStep,
  provesPacket,
  type PublishedBatch,
} from './packet-proof';
