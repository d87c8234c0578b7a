import { Batch, batchTerms, NO_COMMIT } from '../split';
import { type PacketProof, provesPacket, type PublishedBatch } from '.';

const SEED = '5e'.repeat(32);
const PLACE = { activityId: '7', batchNo: 0, previous: NO_COMMIT };
const CURRENCIES = [
  {
    code: 'CNY',
    digits: 2,
    amount: '0.10',
    others: ['1.0', '10', '0.1', '00.10', '.10', '0.100', '+0.10', '0,10'],
  },
  { code: 'JPY', digits: 0, amount: '10', others: ['1.0', '0.10', '10.', '010', '1e1', ' 10'] },
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

  it.each(['2', '0', '01', '1.0', '-1', '3'])('does not hold for the packet number %s', async (no) => {
    expect(await holds({ no })).toBe(false);
  });

  it('does not hold for another batch, another root, a salt in other letters, or a way that is cut or turned', async () => {
    const [step] = proof.path as [(typeof proof.path)[number]];
    const turned = { ...step, side: step.side === 'left' ? 'right' : 'left' } as const;
    for (const change of [
      { batch: '1' },
      { root: '00'.repeat(32) },
      { salt: proof.salt.toUpperCase() },
      { path: [] },
      { path: [turned] },
      { path: [step, step] },
      { path: [{ ...step, hash: step.hash.slice(2) }] },
    ])
      expect([change, await holds(change)]).toEqual([change, false]);
    expect(await provesPacket(proof, { ...published, root: null })).toBe(false);
    expect(await provesPacket(proof, { ...published, firstNo: '2' })).toBe(false);
  });
});
