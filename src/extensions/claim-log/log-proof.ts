import type { EntityManager } from 'typeorm';
import { claimLeafHash, openCheckpoint, TILE_LEAVES, TreeEdge } from '../../../libs/claim-log';
import { InvariantViolation } from '../../../libs/invariant';
import type { ClaimLogRepository, SignedTree } from './claim-log.repository';

/** Leaves that are hashed again if the nodes above older ones are trusted. */
const LAST_LEAVES = 200 * TILE_LEAVES;
const LEAVES_AT_ONCE = 40 * TILE_LEAVES;

interface Proof {
  readonly examined: number;
  readonly faults: string[];
}

/** Computes the tree that was signed last from its rows, from all leaves or only from the last ones. */
export async function proveLog(log: ClaimLogRepository, tx: EntityManager, isWhole: boolean): Promise<Proof> {
  const head = await log.head(tx);
  const unsigned = faultsOfEnd(head?.size ?? 0, await log.leafCount(tx));
  if (!head) return { examined: 0, faults: unsigned };
  try {
    const start = isWhole
      ? 0
      : Math.max(0, Math.floor((head.size - LAST_LEAVES) / TILE_LEAVES) * TILE_LEAVES);
    const [stretches] = await log.hashes([{ start: 0, end: start }], tx);
    const edge = new TreeEdge(start, stretches);
    const faults = await growTo(edge, head.size, log, tx);
    return { examined: edge.size - start, faults: [...faults, ...faultsOfHead(edge, head), ...unsigned] };
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    return { examined: 0, faults: [error.message] };
  }
}

async function growTo(
  edge: TreeEdge,
  size: number,
  log: ClaimLogRepository,
  tx: EntityManager,
): Promise<string[]> {
  const faults: string[] = [];
  while (edge.size < size) {
    const leaves = await log.leaves(edge.size, Math.min(LEAVES_AT_ONCE, size - edge.size), tx);
    const gap = leaves.findIndex(({ index }, i) => index !== edge.size + i);
    if (gap !== -1 || leaves.length === 0)
      return [...faults, `Leaf ${edge.size + Math.max(0, gap)} is missing.`];
    const nodes = leaves.flatMap((leaf) => edge.append(claimLeafHash(leaf)));
    for (const { level, no } of await log.unlikeNodes(tx, nodes)) {
      const count = TILE_LEAVES ** level;
      faults.push(
        `Leaves ${no * count} to ${(no + 1) * count - 1} are not what node ${no} of level ${level} is.`,
      );
    }
  }
  return faults;
}

/** Leaves are written together with the checkpoint that signs them, so here a later checkpoint was deleted. */
const faultsOfEnd = (size: number, leaves: number): string[] =>
  leaves > size ? [`Leaves ${size} to ${leaves - 1} are in no checkpoint.`] : [];

function faultsOfHead(edge: TreeEdge, { size, root, note, verifierKey }: SignedTree): string[] {
  const signed = openCheckpoint(note, verifierKey);
  const faults: string[] = [];
  if (edge.size === size && !edge.root.equals(root)) faults.push(`The root at ${size} leaves differs.`);
  if (signed?.size !== size || !signed.root.equals(root))
    faults.push(`The checkpoint at ${size} leaves is not signed.`);
  return faults;
}
