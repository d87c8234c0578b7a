import type { ApiClient, Schema } from '../../../libs/client';
import { provesPacket } from '../../../libs/packet-proof';
import { type Drawer, drawerOf } from './drawer';

/**
 * `before`: the packet existed before the rain began. `added`: before it could be won, because it
 * was added later. `refused`: it is not among those that were published.
 */
export type ProofVerdict = 'before' | 'added' | 'refused';

export interface CheckedProof {
  readonly verdict: ProofVerdict;
  /** Who drew the packet, by the terms that it is proven with. */
  readonly drawer?: Drawer;
}

/** Checks a proof against what was published, by hashes of this browser. */
export async function checkProof(api: ApiClient, proof: Schema<'PacketProofDto'>): Promise<CheckedProof> {
  const batch = await batchOf(api, proof.activityId, proof.batch);
  if (!batch || !(await provesPacket(proof, { ...batch, terms: { ...batch.terms } })))
    return { verdict: 'refused' };
  return { verdict: proof.batch === '0' ? 'before' : 'added', drawer: drawerOf(batch.terms) };
}

async function batchOf(
  api: ApiClient,
  id: string,
  name: string,
): Promise<Schema<'FairBatchDto'> | undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await api.readFairness(id, { limit: 100, cursor });
    const batch = page.batches.find((one) => one.batch === name);
    if (batch || page.nextCursor === null) return batch;
    cursor = page.nextCursor;
  }
}
