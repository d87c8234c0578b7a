export { type Checkpoint, CheckpointSigner, isVerifierKey, openCheckpoint } from './checkpoint';
export { type ClaimLeaf, claimLeafHash, newSalts, userHash } from './claim-leaf';
export {
  CLOCKS_WITHIN_SECONDS,
  isSignerOf,
  nameOfWitness,
  openCosignature,
  readCosignature,
  signerOf,
  witnessesFault,
  WITNESSES_MAX,
  witnessNameFault,
  WitnessSigner,
} from './cosignature';
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
export { textOfNote } from './note';
