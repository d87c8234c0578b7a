import { createHash, createHmac } from 'node:crypto';
import { type BatchTerms, splitTermsOf } from './batch-terms';
import { canonicalJson, type PathStep } from '../packet-proof';
import { keptSteps, LEAVES_PER_TILE, packetTree, type PacketTree, pathOf } from './packet-tree';
import { RandomValues } from './random-values';
import { HASH_BYTES, Hmac, Message } from './sha256';
import { drawAmounts } from './split';

/** One label for each purpose: no published hash is a value from which amounts or salts are derived. */
const LABELS = {
  terms: 'hongbao.terms.v1\0',
  commit: 'hongbao.commit.v1\0',
  seed: 'hongbao.seed.v1\0',
  mix: 'hongbao.mix.v1\0',
  split2: 'hongbao.split.v2\0',
  split3: 'hongbao.split.v3\0',
  salt: 'hongbao.salt.v1\0',
  leaf: '\0hongbao.leaf.v1\0',
} as const;

const COUNTER_BYTES = 8;
const SALT_BYTES = 16;

/** Blocks of HMAC-SHA-256 over a prefix and a counter, four values each. */
class BlockValues extends RandomValues {
  private readonly blocks: Hmac;
  private readonly block = new DataView(new ArrayBuffer(HASH_BYTES));
  private counter = 0;
  private offset = HASH_BYTES;

  constructor(
    seed: Uint8Array,
    private readonly prefix: Uint8Array,
  ) {
    super();
    this.blocks = new Hmac(seed, prefix.length + COUNTER_BYTES);
    this.blocks.message.set(0, prefix);
  }

  /** The upper 53 bits of a big-endian word of 64. */
  protected override next(): number {
    if (this.offset === HASH_BYTES) this.refill();
    const high = this.block.getUint32(this.offset);
    const low = this.block.getUint32(this.offset + 4);
    this.offset += 8;
    return high * 2 ** 21 + (low >>> 11);
  }

  private refill(): void {
    this.blocks.message.view.setUint32(this.prefix.length + 4, this.counter++);
    this.blocks.hashInto(this.block, 0);
    this.offset = 0;
  }
}

/**
 * The packets of a creation, a top-up or a replaced void packet: a function of the seed and the
 * published terms. The commitment is published before the first of them can be drawn, the seed
 * after the end of the activity.
 */
export class Batch {
  /** SHA-256 of the terms: it ties every hash to them. */
  private readonly termsHash: Buffer;
  private readonly seed: Buffer;

  constructor(
    seed: string,
    readonly terms: BatchTerms,
    /** The number of its first packet. */
    private readonly firstNo: number,
  ) {
    this.seed = Buffer.from(seed, 'hex');
    this.termsHash = sha256(LABELS.terms, canonicalJson({ ...terms }));
  }

  get commit(): Buffer {
    return sha256(LABELS.commit, this.seed, this.termsHash);
  }

  /** @throws SplitInfeasible */
  amounts(): BigInt64Array {
    return drawAmounts(splitTermsOf(this.terms), this.values());
  }

  /**
   * The server writes the terms when it knows both seeds. So in version 3 nothing of them that it could choose,
   * such as the id of the activity, leads to a value: it would try ids until the amounts suit it.
   */
  private values(): BlockValues {
    const { v, sponsorSeed } = this.terms;
    if (v === '2')
      return new BlockValues(this.seed, Buffer.concat([Buffer.from(LABELS.split2), this.termsHash]));
    return new BlockValues(mixOf(this.seed, sponsorSeed!), Buffer.from(LABELS.split3));
  }

  tree(amountsMinor: BigInt64Array): PacketTree {
    const leaves = new Leaves(this.seed, this.termsHash);
    return packetTree(amountsMinor.length, (index, target, offset) =>
      leaves.write(this.firstNo + index, amountsMinor[index]!, target, offset),
    );
  }

  saltOf(no: number): Buffer {
    return new Leaves(this.seed, this.termsHash).saltOf(no);
  }

  /** Where `PacketTree.upper` has the hashes that {@link pathOf} needs. */
  keptOffsets(no: number): number[] {
    return keptSteps(no - this.firstNo, Number(this.terms.count)).map(({ offset }) => offset);
  }

  /** The numbers of the packets whose amounts {@link pathOf} needs. */
  tileOf(no: number): { readonly firstNo: number; readonly count: number } {
    const before = Math.floor((no - this.firstNo) / LEAVES_PER_TILE) * LEAVES_PER_TILE;
    const count = Math.min(LEAVES_PER_TILE, Number(this.terms.count) - before);
    return { firstNo: this.firstNo + before, count };
  }

  /**
   * @param tileMinor the amounts of {@link tileOf}
   * @param kept the hashes at {@link keptOffsets}
   */
  pathOf(no: number, tileMinor: readonly bigint[], kept: readonly Buffer[]): PathStep[] {
    const leaves = new Leaves(this.seed, this.termsHash);
    const first = this.tileOf(no).firstNo - this.firstNo;
    return pathOf(
      no - this.firstNo,
      Number(this.terms.count),
      (index, target, offset) =>
        leaves.write(this.firstNo + index, tileMinor[index - first]!, target, offset),
      kept,
    );
  }
}

/** The commitment that a sponsor is given before they reveal their word, in hexadecimal digits. */
export const seedCommitment = (seed: string): string =>
  sha256(LABELS.seed, Buffer.from(seed, 'hex')).toString('hex');

const mixOf = (seed: Uint8Array, sponsorSeed: string): Buffer =>
  createHmac('sha256', seed).update(LABELS.mix).update(sponsorSeed, 'hex').digest();

/**
 * Leaves hide their amounts: without the salt, which needs the seed, the few million amounts that a packet
 * can have could be tried in a second.
 */
class Leaves {
  private readonly salts: Hmac;
  private readonly leaf: Message;
  private readonly saltPrefixBytes: number;
  private readonly leafPrefixBytes: number;
  private readonly salt = new DataView(new ArrayBuffer(HASH_BYTES));

  constructor(seed: Uint8Array, termsHash: Uint8Array) {
    const saltPrefix = Buffer.concat([Buffer.from(LABELS.salt), termsHash]);
    const leafPrefix = Buffer.concat([Buffer.from(LABELS.leaf), termsHash]);
    [this.saltPrefixBytes, this.leafPrefixBytes] = [saltPrefix.length, leafPrefix.length];
    this.salts = new Hmac(seed, saltPrefix.length + COUNTER_BYTES);
    this.salts.message.set(0, saltPrefix);
    this.leaf = new Message(leafPrefix.length + 2 * COUNTER_BYTES + SALT_BYTES);
    this.leaf.set(0, leafPrefix);
  }

  write(no: number, amountMinor: bigint, target: DataView, offset: number): void {
    this.computeSalt(no);
    const { view } = this.leaf;
    view.setUint32(this.leafPrefixBytes + 4, no);
    view.setBigUint64(this.leafPrefixBytes + COUNTER_BYTES, amountMinor);
    const saltOffset = this.leafPrefixBytes + 2 * COUNTER_BYTES;
    for (let byte = 0; byte < SALT_BYTES; byte += 4)
      view.setInt32(saltOffset + byte, this.salt.getInt32(byte));
    this.leaf.hashInto(target, offset);
  }

  saltOf(no: number): Buffer {
    this.computeSalt(no);
    return Buffer.from(this.salt.buffer, 0, SALT_BYTES);
  }

  private computeSalt(no: number): void {
    this.salts.message.view.setUint32(this.saltPrefixBytes + 4, no);
    this.salts.hashInto(this.salt, 0);
  }
}

function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
