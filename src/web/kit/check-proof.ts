import type { ApiClient, Schema } from '../../../libs/client';
import { isCommittedSeed, provesPacket } from '../../../libs/packet-proof';
import { type Drawer, drawerOf } from './drawer';

type Batch = Schema<'FairBatchDto'>;

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

/**
 * `fixed`: its packets are committed to, and their seeds are still secret. `kept`: the seeds that were revealed are
 * those that were committed to. `uncommitted`: an earlier release drew some of them.
 */
export interface RainVerdict {
  readonly outcome: 'fixed' | 'kept' | 'refused' | 'uncommitted';
  readonly packets: number;
  /** The server if it drew any batch alone. */
  readonly drawer: Drawer;
}

/** Checks what was published of a rain, for anybody. It does not draw the packets again: that takes a program. */
export async function checkRain(api: ApiClient, activityId: string): Promise<RainVerdict> {
  const batches: Batch[] = [];
  for await (const batch of batchesOf(api, activityId)) batches.push(batch);
  return {
    outcome: await outcomeOf(batches),
    packets: batches.reduce((sum, { terms }) => sum + Number(terms.count), 0),
    drawer: batches.every(({ terms }) => drawerOf(terms) === 'sponsor') ? 'sponsor' : 'server',
  };
}

async function outcomeOf(batches: readonly Batch[]): Promise<RainVerdict['outcome']> {
  if (batches.some(({ terms }) => terms.v === '1')) return 'uncommitted';
  const revealed = batches.filter(({ seed }) => seed !== null);
  for (const { seed, terms, commit } of revealed)
    if (!(await isCommittedSeed(seed!, { ...terms }, commit))) return 'refused';
  return revealed.length === batches.length ? 'kept' : 'fixed';
}

async function batchOf(api: ApiClient, id: string, name: string): Promise<Batch | undefined> {
  for await (const batch of batchesOf(api, id)) if (batch.batch === name) return batch;
  return undefined;
}

async function* batchesOf(api: ApiClient, id: string): AsyncGenerator<Batch> {
  for (let cursor: string | undefined; ;) {
    const page = await api.readFairness(id, { limit: 100, cursor });
    yield* page.batches;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
