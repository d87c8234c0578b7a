import { isDeepStrictEqual } from 'node:util';
import { type PacketProof, provesPacket } from '../../../libs/packet-proof';
import {
  Batch,
  type BatchTerms,
  NO_COMMIT,
  seedCommitment,
  splitAmount,
  splitTermsOf,
} from '../../../libs/split';

interface PublicBatch {
  readonly batch: string;
  readonly firstNo: string;
  readonly terms: Omit<BatchTerms, 'v'> & { readonly v: '1' | BatchTerms['v'] };
  readonly commit: string | null;
  readonly root: string | null;
  readonly seed: string | null;
}

type PublicProof = PacketProof & { readonly activityId: string };

const FAIRNESS = 'batches nextCursor';
const PROOF = 'activityId amount batch no path root salt';
const BATCH = 'batch commit firstNo root seed terms';
const SEED = /^[0-9a-f]{64}$/;

/** The reason for which files are refused. */
class Refused extends Error {}

/**
 * Checks answers of the routes for fairness and proofs, and returns a line for each batch and proof.
 *
 * @throws Error with one line if something differs from its commitment, or is not such an answer
 */
export async function checkPublicFiles(texts: readonly string[]): Promise<string[]> {
  const contents = texts.map((text) => JSON.parse(text) as object);
  demand(contents.length > 0, 'there is no file');
  for (const content of contents)
    demand([FAIRNESS, PROOF].includes(fieldsOf(content)), 'a file has other fields than expected');
  const batches = contents.flatMap((content) =>
    'batches' in content ? (content.batches as PublicBatch[]) : [],
  );
  const lines = batches.map(checkBatch);
  checkChain(batches);
  checkTogether(batches);
  for (const content of contents)
    if ('path' in content) lines.push(await checkProof(content as PublicProof, batches));
  return lines;
}

function checkBatch(published: PublicBatch): string {
  demand(fieldsOf(published) === BATCH, 'a batch has other fields than expected');
  const { terms, seed, commit, root, firstNo } = published;
  const name = nameOf(published);
  demand(terms.batch === published.batch, `${name} has the terms of another batch`);
  if (terms.v === '1') return `${name}: version 1, without a commitment${drawnByVersion1(published)}`;
  demand(terms.v === '2' || terms.v === '3', `${name} has terms of an unknown version`);
  const drawnBy = drawersOf(terms as BatchTerms);
  demand(drawnBy !== undefined, `${name} names no word of its sponsor`);
  if (seed === null) return `${name}: not revealed yet; drawn ${drawnBy}`;
  demand(SEED.test(seed), `${name} has no seed`);
  demand(terms.v === '2' || terms.commitment === seedCommitment(seed), `${name} has another seed`);
  const batch = new Batch(seed, terms as BatchTerms, Number(firstNo));
  demand(batch.commit.toString('hex') === commit, `${name} has another commitment`);
  demand(batch.tree(batch.amounts()).root.toString('hex') === root, `${name} has another root`);
  return `${name}: all ${terms.count} packets are as committed, drawn ${drawnBy}`;
}

/** The word is the sponsor's own: nobody else can say that they chose it after the commitment. */
function drawersOf({ v, sponsorSeed, commitment }: BatchTerms): string | undefined {
  if (v === '2') return 'by the server alone';
  const isWord = [sponsorSeed, commitment].every((hash) => hash !== undefined && SEED.test(hash));
  return isWord ? `with the sponsor's word ${sponsorSeed}` : undefined;
}

/** Nothing was published before, so this only shows that the seed draws packets of these terms. */
function drawnByVersion1({ terms, seed }: PublicBatch): string {
  if (seed === null) return '';
  const amounts = splitAmount({ ...splitTermsOf({ ...terms, v: '2' }), seed });
  return `; its seed draws ${amounts.length} packets of ${terms.total}`;
}

/** Two batches with the same predecessor: one of them was made in place of the other. */
function checkChain(batches: readonly PublicBatch[]): void {
  const after = new Map<string, string | null>();
  for (const { terms, commit } of batches) {
    if (terms.v === '1' || terms.previous === NO_COMMIT) continue;
    demand((after.get(terms.previous) ?? commit) === commit, 'the chain has a fork');
    after.set(terms.previous, commit);
  }
}

/** A batch is the same in all files, and no packet is in two batches. */
function checkTogether(batches: readonly PublicBatch[]): void {
  const places = new Map<string, PublicBatch>();
  const seeds = new Map<string, string>();
  for (const batch of batches) {
    const [place, shown] = [nameOf(batch), { ...batch, seed: null }];
    demand(isDeepStrictEqual(places.get(place) ?? shown, shown), `${place} was published in two ways`);
    places.set(place, shown);
    if (batch.seed === null) continue;
    demand((seeds.get(place) ?? batch.seed) === batch.seed, `${place} was revealed with two seeds`);
    seeds.set(place, batch.seed);
  }
  const ends = new Map<string, number>();
  for (const batch of [...places.values()].sort((a, b) => Number(a.firstNo) - Number(b.firstNo))) {
    const { activity, count } = batch.terms;
    const first = Number(batch.firstNo);
    demand(first >= (ends.get(activity) ?? 1), `${nameOf(batch)} has packets of another batch`);
    ends.set(activity, first + Number(count));
  }
}

const nameOf = ({ terms, batch }: PublicBatch): string => `activity ${terms.activity} batch ${batch}`;

async function checkProof(proof: PublicProof, batches: readonly PublicBatch[]): Promise<string> {
  const { activityId, no, amount } = proof;
  const batch = batches.find((one) => one.terms.activity === activityId && one.batch === proof.batch);
  demand(batch !== undefined, 'the batch of a proof is not in the files');
  const proves = await provesPacket(proof, { ...batch, terms: { ...batch.terms } });
  demand(proves, `packet ${no} of activity ${activityId} is not proven`);
  return `packet ${no} of activity ${activityId}: existed with ${amount} before it could be won`;
}

const fieldsOf = (value: object): string => Object.keys(value).sort().join(' ');

function demand(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Refused(reason);
}
