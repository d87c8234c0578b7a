import { createHash } from 'node:crypto';
import { Batch, batchTerms, type BatchTerms, NO_COMMIT, seedCommitment } from '../split';
import {
  canonicalJson,
  isCommittedSeed,
  isHash,
  type PacketProof,
  provesPacket,
  type PublishedBatch,
} from '.';

const SEED = '5e'.repeat(32);
const PLACE = { activityId: '7', batchNo: 0, previous: NO_COMMIT };
const CURRENCIES = [
  { code: 'JPY', digits: 0, amount: '10', others: ['1.0', '0.10', '10.', '010', '1e1', ' 10'] },
  { code: 'KWD', digits: 3, amount: '0.010', others: ['0.10', '10', '0.01', '1.0', '.010', '0.0100'] },
] as const;

/** The proof of the first of two packets of ten minor units each, and what was published. */
function proven({ code, digits, amount }: (typeof CURRENCIES)[number]) {
  const plan = { kind: 'equal' } as const;
  const terms = batchTerms(PLACE, { totalMinor: 20n, packetCount: 2, plan }, { code, digits });
  const batch = new Batch(SEED, terms, 1);
  const amounts = batch.amounts();
  const root = batch.tree(amounts).root.toString('hex');
  const published = { batch: '0', firstNo: '1', terms, root } as unknown as PublishedBatch;
  const path = batch.pathOf(1, [...amounts], []);
  const proof: PacketProof = {
    batch: '0',
    no: '1',
    amount,
    salt: batch.saltOf(1).toString('hex'),
    path,
    root,
  };
  return { proof, published };
}

describe.each(CURRENCIES)('a proof of a packet in $code', (currency) => {
  const { proof, published } = proven(currency);
  const holds = (change: Partial<PacketProof>) => provesPacket({ ...proof, ...change }, published);

  it('holds for its amount as the currency writes it', async () => {
    expect(await holds({})).toBe(true);
  });

  it.each(currency.others)('does not hold for the amount %s, which has the same digits', async (amount) => {
    expect(await holds({ amount })).toBe(false);
  });
});

const FIRST_NO = 11;

/** A batch of equal packets of 0.10, whose numbers begin at {@link FIRST_NO}. */
function batchOf(count: number, more: Partial<BatchTerms> = {}): { batch: Batch; published: PublishedBatch } {
  const terms: BatchTerms = {
    v: '2',
    activity: '7',
    batch: '1',
    count: String(count),
    total: (count / 10).toFixed(2),
    currency: 'CNY',
    kind: 'equal',
    previous: NO_COMMIT,
    ...more,
  };
  const batch = new Batch(SEED, terms, FIRST_NO);
  const root = batch.tree(batch.amounts()).root.toString('hex');
  return { batch, published: { batch: '1', firstNo: String(FIRST_NO), terms: { ...terms }, root } };
}

/** The proof of a packet of a batch that is one tile, as its winner receives it. */
function proofIn({ batch, published }: ReturnType<typeof batchOf>, no: number): PacketProof {
  const amounts = [...batch.amounts()];
  return {
    batch: '1',
    no: String(no),
    amount: '0.10',
    root: published.root!,
    salt: batch.saltOf(no).toString('hex'),
    path: batch.pathOf(no, amounts, []),
  };
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest();

it('a packet whose number is below the first is not proven, even by a tree that has it', async () => {
  const { published } = batchOf(2);
  const batch = new Batch(SEED, published.terms as unknown as BatchTerms, FIRST_NO - 1);
  const root = batch.tree(batch.amounts()).root.toString('hex');
  const forged = { batch, published: { ...published, root } };
  expect(await provesPacket(proofIn(forged, FIRST_NO - 1), forged.published)).toBe(false);
});

describe('a proof in a batch of six', () => {
  const ours = batchOf(6);
  const proof = proofIn(ours, 14);
  const published = ours.published;
  const [first, ...rest] = proof.path;

  it.each([1, 2, 3, 5, 6, 8, 13])('holds for each packet of a batch of %i', async (count) => {
    const batch = batchOf(count);
    for (let no = FIRST_NO; no < FIRST_NO + count; no++)
      expect([no, await provesPacket(proofIn(batch, no), batch.published)]).toEqual([no, true]);
  });

  it.each<[string, Partial<PacketProof>]>([
    ...[
      '0.11',
      '0.1',
      '0.100',
      '1.0',
      '10',
      '.10',
      '00.10',
      '-0.10',
      '+0.10',
      '0.10 ',
      ' 0.10',
      '0,10',
      '1e-1',
      '',
    ].map((amount): [string, Partial<PacketProof>] => [`the amount ${JSON.stringify(amount)}`, { amount }]),
    ...['13', '15', '014', '14.0', '+14', ' 14', '14 ', '1e1', '0', '-1', '10', '17', ''].map(
      (no): [string, Partial<PacketProof>] => [`the number ${JSON.stringify(no)}`, { no }],
    ),
    ['another salt', { salt: '0'.repeat(32) }],
    ['a salt in capitals', { salt: proof.salt.toUpperCase() }],
    ['more than a salt', { salt: `${proof.salt}00` }],
    ['more before a salt', { salt: `00${proof.salt}` }],
    ['another batch', { batch: '0' }],
    ['another root', { root: '0'.repeat(64) }],
    ['a shorter path', { path: rest }],
    ['a longer path', { path: [...proof.path, first!] }],
    ['no path', { path: [] }],
    ['neighbours in another order', { path: [...rest, first!] }],
    [
      'a neighbour on the other side',
      { path: [{ ...first!, side: first!.side === 'left' ? 'right' : 'left' }, ...rest] },
    ],
    ['another neighbour', { path: [{ ...first!, hash: '0'.repeat(64) }, ...rest] }],
    ['a neighbour in capitals', { path: [{ ...first!, hash: first!.hash.toUpperCase() }, ...rest] }],
    ['more than a neighbour', { path: [{ ...first!, hash: `${first!.hash}00` }, ...rest] }],
    ['more before a neighbour', { path: [{ ...first!, hash: `00${first!.hash}` }, ...rest] }],
  ])('does not hold with %s', async (_, change) => {
    expect(await provesPacket(proof, published)).toBe(true);
    expect(await provesPacket({ ...proof, ...change }, published)).toBe(false);
  });

  it.each<[string, object, object?]>([
    ['another root', { root: '0'.repeat(64) }],
    ['no root', { root: null }],
    ['another batch', { batch: '2' }],
    ['another first number', { firstNo: '12' }],
    ['another activity', {}, { activity: '8' }],
    ['another total', {}, { total: '0.70' }],
    ['a total without decimals', {}, { total: '1' }],
    ['another count', {}, { count: '7' }],
    ['a count that the packet is beyond', {}, { count: '3' }],
    ['another commitment before it', {}, { previous: '1'.repeat(64) }],
  ])('does not hold against a batch that was published with %s', async (_, change, terms: object = {}) => {
    const other = { ...published, ...change, terms: Object.assign({}, published.terms, terms) };
    expect(await provesPacket(proof, other as PublishedBatch)).toBe(false);
  });

  it('holds for amounts with many digits', async () => {
    const large = batchOf(2, { total: '24691357802.46' });
    expect(await provesPacket({ ...proofIn(large, 12), amount: '12345678901.23' }, large.published)).toBe(
      true,
    );
  });

  /** The proof of the second of two packets, and the root of a tree that was made for it. */
  function proofOfOwnTree({ no = FIRST_NO + 1, salt = 'ab'.repeat(16), neighbours = ['cd'.repeat(32)] }) {
    const { published: batch } = batchOf(2);
    const numbers = Buffer.alloc(16);
    numbers.writeBigUInt64BE(BigInt(no), 0);
    numbers.writeBigUInt64BE(10n, 8);
    const termsHash = sha256('hongbao.terms.v1\0', canonicalJson(batch.terms));
    const leaf = sha256('\0hongbao.leaf.v1\0', termsHash, numbers, Buffer.from(salt, 'hex'));
    const root = neighbours
      .reduce((hash, other) => sha256(Uint8Array.of(1), Buffer.from(other, 'hex'), hash), leaf)
      .toString('hex');
    const path = neighbours.map((hash) => ({ side: 'left', hash }) as const);
    const own: PacketProof = { batch: '1', no: String(no), amount: '0.10', salt, path, root };
    return provesPacket(own, { ...batch, root });
  }

  it.each<[string, Parameters<typeof proofOfOwnTree>[0]]>([
    ['a number beyond the count', { no: FIRST_NO + 2, neighbours: [] }],
    ['more than a salt', { salt: 'ab'.repeat(17) }],
    ['less than a salt', { salt: 'ab'.repeat(15) }],
    ['more than a neighbour', { neighbours: ['cd'.repeat(33)] }],
    ['less than a neighbour', { neighbours: ['cd'.repeat(31)] }],
    ['a path that is too short for the count', { neighbours: [] }],
    ['a path that is too long for the count', { neighbours: ['cd'.repeat(32), 'ef'.repeat(32)] }],
  ])('does not hold with %s, even in a tree that was made for it', async (_, own) => {
    expect(await proofOfOwnTree({})).toBe(true);
    expect(await proofOfOwnTree(own)).toBe(false);
  });

  it('does not hold for an unpublished root, even if the proof does not name a root', async () => {
    const rootless = { ...proof, root: null as unknown as string };
    expect(await provesPacket(rootless, { ...published, root: null })).toBe(false);
  });
});

/** The example of RFC 8785, section 3.2.3, and its rules for text. */
it('terms are written according to RFC 8785: members sorted by UTF-16, without blanks, and without undefined members', () => {
  const names = {
    '\u20ac': '1',
    '\r': '2',
    '\ufb33': '3',
    '1': '4',
    '\ud83d\ude00': '5',
    '\u0080': '6',
    '\u00f6': '7',
  };
  expect(canonicalJson(names)).toBe(
    '{"\\r":"2","1":"4","\u0080":"6","\u00f6":"7","\u20ac":"1","\ud83d\ude00":"5","\ufb33":"3"}',
  );
  expect(canonicalJson({ b: ['x', { d: '"', c: undefined }], a: '\u20ac\n\u0007' })).toBe(
    '{"a":"\u20ac\\n\\u0007","b":["x",{"d":"\\""}]}',
  );
  expect(canonicalJson([])).toBe('[]');
});

describe('a revealed seed', () => {
  const { batch, published } = batchOf(6);
  const commit = batch.commit.toString('hex');

  it('is the one that was committed to with these terms, and no other', async () => {
    const { terms } = published;
    expect(await isCommittedSeed(SEED, terms, commit)).toBe(true);
    expect(await isCommittedSeed('5f'.repeat(32), terms, commit)).toBe(false);
    expect(await isCommittedSeed(SEED, batchOf(7).published.terms, commit)).toBe(false);
    expect(await isCommittedSeed(SEED, terms, null)).toBe(false);
    for (const seed of ['', SEED.toUpperCase(), `${SEED}0`, SEED.slice(2)])
      expect([seed, await isCommittedSeed(seed, terms, commit)]).toEqual([seed, false]);
  });

  it('is refused unless the sponsor was given its commitment before they brought their word', async () => {
    const sponsorSeed = 'cd'.repeat(32);
    const holds = (commitment?: string) => {
      const { batch: drawn, published: told } = batchOf(6, { v: '3', commitment, sponsorSeed });
      return isCommittedSeed(SEED, told.terms, drawn.commit.toString('hex'));
    };
    expect(await holds(seedCommitment(SEED))).toBe(true);
    expect(await holds(seedCommitment('5f'.repeat(32)))).toBe(false);
    expect(await holds()).toBe(false);
  });
});

it.each([
  ['0123456789abcdef'.repeat(4), true],
  ['0123456789ABCDEF'.repeat(4), false],
  ['a'.repeat(63), false],
  ['a'.repeat(65), false],
  ['', false],
  [null, false],
  [undefined, false],
])('%p is a published hash: %p', (text, is) => {
  expect(isHash(text)).toBe(is);
});
