import { hash } from 'node:crypto';

/** Hashes of complete subtrees are stored at every eighth height; those in between are computed. */
const HEIGHT_STEP = 8;
export const TILE_LEAVES = 2 ** HEIGHT_STEP;

/** Leaves `start` to `end`, without `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Adjacent hashes: of leaves on level 0, of 256^level leaves each above it. */
export interface Stretch {
  readonly level: number;
  readonly first: number;
  readonly count: number;
}

/** A hash to keep. */
export interface KeptNode {
  readonly level: number;
  readonly no: number;
  readonly hash: Buffer;
}

/** RFC 6962, section 2.1: leaves and nodes begin with different bytes, so neither passes as the other. */
export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(0), entry]));

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([Buffer.of(1), left, right]));

const sha256 = (message: Uint8Array): Buffer => hash('sha256', message, 'buffer');

/** The hash of a tree without leaves. */
export const EMPTY_ROOT = sha256(Buffer.of());

/** PATH(index, D[size]) of RFC 6962: the neighbours on the path from a leaf to the root. */
export function inclusionRanges(index: number, size: number): Range[] {
  const path: Range[] = [];
  for (let [start, end] = [0, size]; end - start > 1;) {
    const middle = start + splitOf(end - start);
    path.unshift(index < middle ? { start: middle, end } : { start, end: middle });
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return path;
}

/** PROOF(from, D[to]) of RFC 6962, for 0 < from <= to. */
export function consistencyRanges(from: number, to: number): Range[] {
  const proof: Range[] = [];
  let [start, end] = [0, to];
  while (end > from) {
    const middle = start + splitOf(end - start);
    proof.unshift(from <= middle ? { start: middle, end } : { start, end: middle });
    [start, end] = from <= middle ? [start, middle] : [middle, end];
  }
  return start === 0 ? proof : [{ start, end }, ...proof];
}

/** The largest power of two below `count`. */
const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

/** The kept hashes from which the root of a range follows: a stretch for each complete subtree in it. */
export function stretchesOf({ start, end }: Range): Stretch[] {
  return subtreesOf(start, end).map(({ height, index }) => {
    const count = 2 ** (height % HEIGHT_STEP);
    return { level: Math.floor(height / HEIGHT_STEP), first: index * count, count };
  });
}

function subtreesOf(start: number, end: number): { height: number; index: number }[] {
  const subtrees = [];
  for (let at = start; at < end;) {
    const height = Math.floor(Math.log2(end - at));
    subtrees.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return subtrees;
}

/** @param stretches the hashes of {@link stretchesOf}, in their order */
export const rangeHash = (stretches: readonly (readonly Buffer[])[]): Buffer =>
  stretches.map(subtreeHash).reduceRight((right, left) => nodeHash(left, right));

function subtreeHash(hashes: readonly Buffer[]): Buffer {
  let row = hashes;
  while (row.length > 1)
    row = Array.from({ length: row.length / 2 }, (_, i) => nodeHash(row[2 * i]!, row[2 * i + 1]!));
  return row[0]!;
}

/** The right edge of a growing tree: all that is needed to append leaves. */
export class TreeEdge {
  private readonly subtrees: { readonly height: number; readonly hash: Buffer }[];

  /** @param stretches the hashes of {@link stretchesOf} all leaves */
  constructor(
    public size = 0,
    stretches: readonly (readonly Buffer[])[] = [],
  ) {
    this.subtrees = subtreesOf(0, size).map(({ height }, i) => ({
      height,
      hash: subtreeHash(stretches[i]!),
    }));
  }

  /** Returns the hashes to keep that this leaf completes. */
  append(leaf: Buffer): KeptNode[] {
    const kept: KeptNode[] = [];
    let [height, hashed] = [0, leaf];
    while (this.subtrees.at(-1)?.height === height) {
      hashed = nodeHash(this.subtrees.pop()!.hash, hashed);
      height += 1;
      if (height % HEIGHT_STEP === 0)
        kept.push({ level: height / HEIGHT_STEP, no: Math.floor(this.size / 2 ** height), hash: hashed });
    }
    this.subtrees.push({ height, hash: hashed });
    this.size += 1;
    return kept;
  }

  get root(): Buffer {
    if (this.size === 0) return EMPTY_ROOT;
    return this.subtrees.map((subtree) => subtree.hash).reduceRight((right, left) => nodeHash(left, right));
  }
}

/** RFC 9162, section 2.1.3.2. Returns the root to which a path leads; undefined if its length is wrong. */
export function rootOfPath(
  leaf: Buffer,
  index: number,
  size: number,
  path: readonly Buffer[],
): Buffer | undefined {
  if (!(index >= 0 && index < size)) return undefined;
  let [node, last, root] = [index, size - 1, leaf];
  for (const neighbour of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(neighbour, root);
      while (node % 2 === 0) [node, last] = [node / 2, half(last)];
    } else root = nodeHash(root, neighbour);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : undefined;
}

interface Head {
  readonly size: number;
  readonly root: Buffer;
}

/** RFC 9162, section 2.1.4.2: true if `later` begins with all leaves of `former`, which must not be empty. */
export function provesConsistency(former: Head, later: Head, proof: readonly Buffer[]): boolean {
  if (former.size === later.size) return proof.length === 0 && former.root.equals(later.root);
  const isSubtree = Number.isInteger(Math.log2(former.size));
  const [first, ...path] = isSubtree ? [former.root, ...proof] : proof;
  if (first === undefined || !(former.size > 0 && former.size < later.size)) return false;
  let [node, last] = [former.size - 1, later.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let [formerRoot, laterRoot] = [first, first];
  for (const hashed of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      formerRoot = nodeHash(hashed, formerRoot);
      laterRoot = nodeHash(hashed, laterRoot);
      while (node % 2 === 0) [node, last] = [node / 2, half(last)];
    } else laterRoot = nodeHash(laterRoot, hashed);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && formerRoot.equals(former.root) && laterRoot.equals(later.root);
}

const half = (value: number): number => Math.floor(value / 2);
