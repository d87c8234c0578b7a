import type { ApiClient, Schema } from '../../libs/client';
import { Batch, type BatchTerms, NO_COMMIT, seedCommitment } from '../../libs/split';
import { checkRain } from '../../src/web/kit/check-proof';

type Published = Schema<'FairBatchDto'>;

const ID = '7';
const SEEDS = ['5e', '6f'].map((byte) => byte.repeat(32));
const WORD = { v: '3', commitment: seedCommitment(SEEDS[0]!), sponsorSeed: 'cd'.repeat(32) } as const;
const OTHER = 'ab'.repeat(32);

/** What is published of three packets, and of two more. */
function batch(no: number, more: Partial<BatchTerms> = {}): Published {
  const terms: BatchTerms = {
    ...{ v: '2', activity: ID, batch: String(no), count: no === 0 ? '3' : '2', total: '6.00' },
    ...{ currency: 'CNY', kind: 'equal', previous: NO_COMMIT, ...more },
  };
  const firstNo = no === 0 ? 1 : 4;
  const drawn = new Batch(SEEDS[no]!, terms, firstNo);
  return {
    ...{ batch: String(no), firstNo: String(firstNo), terms: terms as Published['terms'], seed: SEEDS[no]! },
    commit: drawn.commit.toString('hex'),
    root: drawn.tree(drawn.amounts()).root.toString('hex'),
  };
}

const secret = (one: Published): Published => ({ ...one, seed: null });

const check = (...batches: Published[]) =>
  checkRain(
    { readFairness: () => Promise.resolve({ batches, nextCursor: null }) } as unknown as ApiClient,
    ID,
  );

describe('the check of a rain by anyone', () => {
  const storage = new Map<string, string>();

  beforeAll(() =>
    Object.defineProperty(globalThis, 'localStorage', {
      configurable: true,
      value: {
        getItem: (name: string) => storage.get(name) ?? null,
        setItem: (name: string, value: string) => storage.set(name, value),
        removeItem: (name: string) => storage.delete(name),
      },
    }),
  );
  afterEach(() => storage.clear());
  afterAll(() => Reflect.deleteProperty(globalThis, 'localStorage'));

  it('shows the published commitments before the seeds are revealed, and afterwards that the seeds fit the commitments that this device saw', async () => {
    const now = await check(secret(batch(0)));
    expect(now).toEqual({ outcome: 'published', packets: 3, seen: 3, drawer: 'server' });
    expect(await check(batch(0))).toEqual({ outcome: 'kept', packets: 3, seen: 3, drawer: 'server' });
    expect(await check(batch(0), batch(1))).toMatchObject({ outcome: 'kept', packets: 5, seen: 3 });
  });

  it('remembers more packets with each look before the seeds are revealed', async () => {
    await check(secret(batch(0)));
    await check(secret(batch(0)), secret(batch(1)));
    expect(await check(batch(0), batch(1))).toMatchObject({ outcome: 'kept', packets: 5, seen: 5 });
  });

  it('claims nothing about earlier looks on a device that first looks afterwards, or whose memory is unusable', async () => {
    for (const memory of [undefined, 'x', '{}', 'null']) {
      if (memory !== undefined) storage.set(`hongbao.published.${ID}`, memory);
      await check(batch(0));
      expect([memory, await check(batch(0))]).toEqual([
        memory,
        { outcome: 'kept', packets: 3, seen: 0, drawer: 'server' },
      ]);
    }
  });

  it.each<[string, Published[]]>([
    ['another draw', [batch(0, { total: '6.03' })]],
    ['another root', [{ ...secret(batch(0)), root: OTHER }]],
    ['fewer batches', [batch(0)]],
  ])('notices %s than this device has seen, however often it looks', async (_, later) => {
    await check(secret(batch(0)), secret(batch(1)));
    for (let looks = 0; looks < 2; looks++) expect((await check(...later)).outcome).toBe('changed');
  });

  it('says that the sponsor’s word was in the draw only when its commitment can be checked, and that of a batch without one', async () => {
    const word = batch(0, WORD);
    expect(await check(secret(word))).toMatchObject({ outcome: 'published', drawer: 'claimed' });
    expect(await check(word)).toMatchObject({ outcome: 'kept', drawer: 'sponsor' });
    expect(await check(word, batch(1))).toMatchObject({ outcome: 'kept', drawer: 'server' });
  });

  it('says that an earlier release drew packets, which nobody can check', async () => {
    const { terms, ...first } = batch(0);
    const old = { ...first, terms: { ...terms, v: '1' as const }, commit: null, root: null };
    expect((await check(old, batch(1))).outcome).toBe('uncommitted');
    expect(storage.size).toBe(0);
  });

  it.each<[string, Published[]]>([
    ['a seed that was drawn after the word', [batch(0, { ...WORD, commitment: seedCommitment(OTHER) })]],
    ['a word without its commitment', [secret(batch(0, { ...WORD, commitment: undefined }))]],
    ['a malformed word', [secret(batch(0, { ...WORD, sponsorSeed: 'cd' }))]],
    ['another seed', [{ ...batch(0), seed: OTHER }]],
    ['no batch', []],
    ['another activity', [batch(0, { activity: '8' })]],
    ['terms of another batch', [batch(0, { batch: '1' })]],
    ['a missing first batch', [batch(1)]],
    ['a batch twice', [batch(0), batch(0)]],
    ['packets that belong to no batch', [batch(0), { ...batch(1), firstNo: '5' }]],
    ['packets that belong to two batches', [batch(0), { ...batch(1), firstNo: '3' }]],
    ['a malformed number of packets', [secret({ ...batch(0), terms: { ...batch(0).terms, count: '1e3' } })]],
    ['no commitment', [secret({ ...batch(0), commit: null })]],
    ['a root that is not a hash', [secret({ ...batch(0), root: '00' })]],
    ['an unknown version', [secret({ ...batch(0), terms: { ...batch(0).terms, v: '4' as '3' } })]],
  ])('refuses %s', async (_, batches) => {
    expect((await check(...batches)).outcome).toBe('refused');
    expect(storage.size).toBe(0);
  });

  it.each([
    ['is empty', 0],
    ['repeats itself', 1],
  ])('gives up on a list that %s and has no end', async (_, count) => {
    const page = { batches: Array.from({ length: count }, () => batch(0)), nextCursor: 'after:1' };
    const endless = { readFairness: () => Promise.resolve(page) } as unknown as ApiClient;
    await expect(checkRain(endless, ID)).rejects.toThrow('no end');
  });
});
