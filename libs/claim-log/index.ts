export { type Checkpoint, CheckpointSigner, isVerifierKey, openCheckpoint } from './checkpoint';
export { type ClaimLeaf, claimLeafHash, newSalts, userHash } from './claim-leaf';
export {
  consistencyRanges,
  inclusionRanges,
  type KeptNode,
  provesConsistency,
  rangeHash,
  rootOfPath,
  type Stretch,
  stretchesOf,
  TILE_LEAVES,
  TreeEdge,
} from './merkle-tree';
