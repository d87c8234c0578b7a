import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Batch, batchTerms, type BatchTerms, NO_COMMIT, type SplitTerms, splitTermsOf } from '.';
import { canonicalJson, type PathStep } from '../packet-proof';
import { InvariantViolation } from '../invariant';
import { Hmac, Message } from './sha256';

const SEED = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex');
const PLACE = { activityId: '7', batchNo: 0, previous: NO_COMMIT };
const CNY = { code: 'CNY', digits: 2 } as const;

const bytes = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const sha256 = (...parts: readonly (string | Uint8Array)[]) =>
  createHash('sha256')
    .update(bytes(...parts))
    .digest();
const u64 = (value: number | bigint) => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
};

const equal = (packetCount: number): BatchTerms =>
  batchTerms(PLACE, { totalMinor: BigInt(3 * packetCount + 1), packetCount, plan: { kind: 'equal' } }, CNY);

describe('the published vector', () => {
  const terms = batchTerms(
    PLACE,
    { totalMinor: 1000n, packetCount: 5, plan: { kind: 'random', minMinor: 10n, maxMinor: 400n } },
    CNY,
  );
  const batch = new Batch(SEED, terms, 1);

  it('the terms are written according to RFC 8785', () => {
    expect(canonicalJson({ ...terms })).toBe(
      `{"activity":"7","batch":"0","count":"5","currency":"CNY","kind":"random","max":"4.00","min":"0.10","previous":"${NO_COMMIT}","total":"10.00","v":"2"}`,
    );
  });

  it('the commitment, the amounts, the salts and the root follow from seed and terms', () => {
    expect(batch.commit.toString('hex')).toBe(
      '395bfe4a76265ed3e664d8d0db7c40040d47d3b1e261c42127a0031e96fbf861',
    );
    const amounts = batch.amounts();
    expect([...amounts].map(Number)).toEqual([283, 331, 25, 223, 138]);
    expect(batch.saltOf(3).toString('hex')).toBe('e6d9b195b8722a2687b1980fed42a8d1');
    const { root, upper } = batch.tree(amounts);
    expect(root.toString('hex')).toBe('e286c8fc92f4c5aabd206b2037f948d9bbe469e5e328401641ca7017e50739b1');
    expect(upper).toHaveLength(0);
  });
});

describe('terms', () => {
  const minor = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const anyTerms: fc.Arbitrary<SplitTerms> = fc
    .tuple(
      minor,
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.oneof(
        fc.record({ kind: fc.constant('equal' as const) }),
        fc.record(
          { kind: fc.constant('random' as const), minMinor: minor, maxMinor: minor },
          { requiredKeys: ['kind'] },
        ),
        fc.record({
          kind: fc.constant('tiers' as const),
          tiers: fc.array(fc.record({ amountMinor: minor, count: fc.integer({ min: 1, max: 99 }) }), {
            minLength: 1,
            maxLength: 9,
          }),
        }),
      ),
    )
    .map(([totalMinor, packetCount, plan]) => ({ totalMinor, packetCount, plan }));

  it('the published terms give back the terms that they were written from, in every currency', () => {
    fc.assert(
      fc.property(anyTerms, fc.constantFrom(CNY, { code: 'JPY', digits: 0 } as const), (terms, currency) => {
        expect(splitTermsOf(batchTerms(PLACE, terms, currency))).toEqual(terms);
      }),
      { numRuns: 100 },
    );
  });

  it.each<Partial<BatchTerms>>([
    { total: '07.00' },
    { count: '05' },
    { total: '' },
    { min: '1' },
    { max: 'x' },
  ])('terms that are written differently are refused: %p', (change) => {
    expect(() => splitTermsOf({ ...equal(5), kind: 'random', ...change })).toThrow(InvariantViolation);
  });
});

describe('the hashes', () => {
  it('a hash and an HMAC are those of Node, at every length', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 0, maxLength: 200 }),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        (data, key) => {
          const digest = new DataView(new ArrayBuffer(32));
          const message = new Message(data.length);
          message.set(0, data);
          message.hashInto(digest, 0);
          expect(Buffer.from(digest.buffer)).toEqual(sha256(data));
          const hmac = new Hmac(key, data.length);
          hmac.message.set(0, data);
          hmac.hashInto(digest, 0);
          expect(Buffer.from(digest.buffer)).toEqual(createHmac('sha256', key).update(data).digest());
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** The tree as the contract words it, row by row. */
function rootOf(row: Buffer[]): Buffer {
  if (row.length === 1) return row[0]!;
  const above = [];
  for (let i = 0; i < row.length; i += 2)
    above.push(i + 1 < row.length ? sha256([1] as never, row[i]!, row[i + 1]!) : row[i]!);
  return rootOf(above);
}

function leavesOf(terms: BatchTerms, amounts: BigInt64Array, firstNo: number): Buffer[] {
  const termsHash = sha256('hongbao.terms.v1\0', canonicalJson({ ...terms }));
  return Array.from(amounts, (amount, i) => {
    const no = u64(firstNo + i);
    const salt = createHmac('sha256', Buffer.from(SEED, 'hex'))
      .update(bytes('hongbao.salt.v1\0', termsHash, no))
      .digest()
      .subarray(0, 16);
    return sha256('\0hongbao.leaf.v1\0', termsHash, no, u64(amount), salt);
  });
}

const climb = (leaf: Buffer, path: readonly PathStep[]): Buffer =>
  path.reduce((hash, { side, hash: neighbour }) => {
    const other = Buffer.from(neighbour, 'hex');
    return side === 'left' ? sha256([1] as never, other, hash) : sha256([1] as never, hash, other);
  }, leaf);

describe.each([1, 2, 3, 255, 256, 257, 511, 600, 1_025])('the tree of %i packets', (count) => {
  const terms = equal(count);
  const firstNo = 41;
  const batch = new Batch(SEED, terms, firstNo);
  const amounts = batch.amounts();
  const leaves = leavesOf(terms, amounts, firstNo);
  const { root, upper } = batch.tree(amounts);

  it('its root is that of all leaves', () => {
    expect(root).toEqual(rootOf(leaves));
  });

  it('the path from a packet to the root takes the leaves of its tile and the stored rows', () => {
    for (const index of new Set([0, 1, count >> 1, 254, 255, 256, 257, count - 2, count - 1])) {
      if (index < 0 || index >= count) continue;
      const tile = batch.tileOf(firstNo + index);
      const path = batch.pathOf(
        firstNo + index,
        Array.from({ length: tile.count }, (_, i) => amounts[tile.firstNo + i - firstNo]!),
        batch.keptOffsets(firstNo + index).map((offset) => upper.subarray(offset, offset + 32)),
      );
      expect(climb(leaves[index]!, path)).toEqual(root);
    }
  });
});
