import { canonicalJson, type Json } from './canonical-json';

/** The terms that decide how a seed is checked. */
type DrawnTerms = Json & { readonly v: string; readonly commitment?: string };

/** A batch of packets, as it was published before any of them could be won. */
export interface PublishedBatch {
  readonly batch: string;
  readonly firstNo: string;
  readonly terms: DrawnTerms & { readonly count: string; readonly total: string };
  readonly root: string | null;
}

/** A neighbour on the path from a leaf to the root, and its side. */
export interface PathStep {
  readonly side: 'left' | 'right';
  readonly hash: string;
}

export interface PacketProof {
  readonly batch: string;
  readonly no: string;
  readonly amount: string;
  readonly salt: string;
  readonly path: readonly PathStep[];
  readonly root: string;
}

/** True for 32 bytes as they are published: hexadecimal digits in lower case. */
export const isHash = (value: string | null | undefined): boolean => HASH.test(value ?? '');

const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const WHOLE = /^[1-9]\d{0,15}$/;
const MONEY = /^(?:0|[1-9]\d{0,15})(?:\.\d{1,3})?$/;

/**
 * True if this very packet, with this number and amount, is below the published root. It needs only the
 * hashes of Web Crypto, so browsers can check it too.
 */
export async function provesPacket(proof: PacketProof, published: PublishedBatch): Promise<boolean> {
  const { no, amount, salt, path, root } = proof;
  const { terms, firstNo } = published;
  if (proof.batch !== published.batch || root !== published.root) return false;
  if (!WHOLE.test(no) || !MONEY.test(amount) || !SALT.test(salt)) return false;
  if (decimalsOf(amount) !== decimalsOf(terms.total)) return false;
  const sides = sidesOf(Number(no) - Number(firstNo), Number(terms.count));
  if (!sides || sides.length !== path.length) return false;
  const termsHash = await hashOf(terms);
  let hash = await sha256(
    ...[text('\0hongbao.leaf.v1\0'), termsHash],
    ...[u64(no), u64(amount.replace('.', '')), bytesOf(salt)],
  );
  for (const [i, { side, hash: neighbour }] of path.entries()) {
    if (side !== sides[i] || !HASH.test(neighbour)) return false;
    const other = bytesOf(neighbour);
    hash = await sha256(NODE, ...(side === 'left' ? [other, hash] : [hash, other]));
  }
  return hexOf(hash) === root;
}

/**
 * True if the commitment was made from this seed and these terms, before any packet could be won. If a
 * sponsor has brought a word, the seed must also be the one whose commitment they were given before they
 * revealed the word.
 */
export async function isCommittedSeed(
  seed: string,
  terms: DrawnTerms,
  commit: string | null,
): Promise<boolean> {
  if (!HASH.test(seed)) return false;
  if (terms.v === '3' && hexOf(await sha256(text('hongbao.seed.v1\0'), bytesOf(seed))) !== terms.commitment)
    return false;
  const committed = await sha256(text('hongbao.commit.v1\0'), bytesOf(seed), await hashOf(terms));
  return hexOf(committed) === commit;
}

const hashOf = (terms: Json): Promise<Uint8Array> =>
  sha256(text('hongbao.terms.v1\0'), text(canonicalJson(terms)));

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const NODE = Uint8Array.of(1);

/**
 * The sides of the neighbours of this leaf; undefined if the tree has no such leaf. A leaf has one
 * place, so no packet can be proven with two amounts.
 */
function sidesOf(leaf: number, count: number): PathStep['side'][] | undefined {
  if (!(leaf >= 0 && leaf < count)) return undefined;
  const sides: PathStep['side'][] = [];
  for (let index = leaf, length = count; length > 1; index >>= 1, length = Math.ceil(length / 2)) {
    if (index % 2 === 1) sides.push('left');
    else if (index + 1 < length) sides.push('right');
  }
  return sides;
}

const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));

function u64(digits: string): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(digits));
  return bytes;
}

async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    message.set(part, offset);
    offset += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', message));
}
