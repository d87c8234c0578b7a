import type { ApiClient, Schema } from '../../../libs/client';
import { isCommittedSeed, isHash, provesPacket } from '../../../libs/packet-proof';
import { type CheckedDrawer, drawerOf } from './drawer';
import { keep, kept } from './kept';
import { type RainVerdict, sentenceOf } from './verdict-words';

type Batch = Schema<'FairBatchDto'>;

/**
 * `before`: the packet existed before the rain began. `added`: before it could be won, because it
 * was added later. `refused`: it is not among those that were published.
 */
export type ProofVerdict = 'before' | 'added' | 'refused';

export interface CheckedProof {
  readonly verdict: ProofVerdict;
  /** Who drew the packet, by the terms that it is proven with. */
  readonly drawer?: CheckedDrawer;
}

/** Checks the packet that the page shows: a proof of another amount does not count. */
export async function checkPacket(
  api: ApiClient,
  redPacketId: string,
  amount: string,
): Promise<CheckedProof> {
  const proof = await api.provePacket(redPacketId);
  const isOfPacket = redPacketId.endsWith(proof.no) && redPacketId.startsWith(proof.activityId);
  return isOfPacket && proof.amount === amount ? checkProof(api, proof) : { verdict: 'refused' };
}

/** Says what a check of the whole rain has found. */
export async function sayRain(
  api: ApiClient,
  activityId: string,
  language: 'en' | 'zh',
  drawn: Readonly<Record<CheckedDrawer, string>>,
): Promise<string> {
  return sentenceOf(await checkRain(api, activityId), language, drawn);
}

/** Checks a proof against what was published, with hashes that this browser computes. */
export async function checkProof(api: ApiClient, proof: Schema<'PacketProofDto'>): Promise<CheckedProof> {
  const batch = await batchOf(api, proof.activityId, proof.batch);
  if (!batch || !(await provesPacket(proof, { ...batch, terms: { ...batch.terms } })))
    return { verdict: 'refused' };
  if (batch.seed !== null && !(await isCommittedSeed(...seedOf(batch)))) return { verdict: 'refused' };
  return { verdict: proof.batch === '0' ? 'before' : 'added', drawer: drawerIn(batch) };
}

/**
 * Checks what was published of a rain, for anyone, and keeps it on this device for the next check. It does not draw
 * the packets again: that takes a program.
 */
export async function checkRain(api: ApiClient, activityId: string): Promise<RainVerdict> {
  const batches: Batch[] = [];
  for await (const batch of batchesOf(api, activityId)) batches.push(batch);
  const packets = packetsIn(batches);
  const drawers = new Set(batches.map(drawerIn));
  const drawer = (['server', 'claimed'] as const).find((one) => drawers.has(one)) ?? 'sponsor';
  const outcome = await outcomeOf(batches, activityId);
  if (outcome !== 'published' && outcome !== 'kept') return { outcome, packets, seen: 0, drawer };
  const before = seenBefore(activityId);
  if (before.some((seen, i) => seen !== markOf(batches[i])))
    return { outcome: 'changed', packets, seen: 0, drawer };
  const now = batches.every(({ seed }) => seed === null) ? batches.map(markOf) : before;
  keep(nameOf(activityId), now.length > 0 ? JSON.stringify(now) : undefined);
  return { outcome, packets, seen: packetsIn(batches.slice(0, now.length)), drawer };
}

const packetsIn = (batches: readonly Batch[]): number =>
  batches.reduce((sum, { terms }) => sum + Number(terms.count), 0);

const nameOf = (activityId: string): string => `hongbao.published.${activityId}`;

const markOf = (batch: Batch | undefined): string => `${batch?.commit} ${batch?.root}`;

/** A mark of each batch that was published when its seed was secret. */
function seenBefore(activityId: string): readonly unknown[] {
  try {
    const marks: unknown = JSON.parse(kept(nameOf(activityId))!);
    return Array.isArray(marks) ? marks : [];
  } catch {
    return [];
  }
}

async function outcomeOf(batches: readonly Batch[], activityId: string): Promise<RainVerdict['outcome']> {
  if (!isInOrder(batches, activityId)) return 'refused';
  if (batches.some(({ terms }) => terms.v === '1')) return 'uncommitted';
  for (const batch of batches)
    if (!isCommitted(batch) || (batch.seed !== null && !(await isCommittedSeed(...seedOf(batch)))))
      return 'refused';
  return batches.every(({ seed }) => seed !== null) ? 'kept' : 'published';
}

/** All packets of this activity, from the first, each once. */
function isInOrder(batches: readonly Batch[], activityId: string): boolean {
  let nextNo = 1;
  for (const [i, { batch, firstNo, terms }] of batches.entries()) {
    if (batch !== String(i) || terms.batch !== batch || terms.activity !== activityId) return false;
    if (firstNo !== String(nextNo) || !COUNT.test(terms.count)) return false;
    nextNo += Number(terms.count);
  }
  return batches.length > 0;
}

const COUNT = /^[1-9]\d{0,6}$/;

function isCommitted({ terms, commit, root }: Batch): boolean {
  const word = terms.v === '3' ? [terms.commitment, terms.sponsorSeed] : [];
  return (terms.v === '2' || terms.v === '3') && [commit, root, ...word].every(isHash);
}

const seedOf = ({ seed, terms, commit }: Batch): Parameters<typeof isCommittedSeed> => [
  seed!,
  { ...terms },
  commit,
];

const drawerIn = ({ terms, seed }: Batch): CheckedDrawer =>
  terms.v === '3' && seed === null ? 'claimed' : drawerOf(terms);

async function batchOf(api: ApiClient, id: string, name: string): Promise<Batch | undefined> {
  for await (const batch of batchesOf(api, id)) if (batch.batch === name) return batch;
  return undefined;
}

/** Gives up on a server whose list never ends. */
const PAGES_MAX = 1000;

async function* batchesOf(api: ApiClient, id: string): AsyncGenerator<Batch> {
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await api.readFairness(id, { limit: 100, cursor });
    yield* page.batches;
    if (page.nextCursor === null) return;
    if (page.batches.length === 0) break;
    cursor = page.nextCursor;
  }
  throw new Error('The list has no end.');
}
