import { canonicalJson } from '../../libs/packet-proof';
import { Batch, type BatchTerms, NO_COMMIT } from '../../libs/split';
import { PacketBatches } from '../../src/core/lifecycle/packet-batches';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks();

interface BatchRow {
  readonly activityId: string;
  readonly batchNo: number;
  readonly firstNo: number;
  readonly place: number;
  readonly terms: string;
  readonly commitment: Buffer;
  readonly root: Buffer;
  readonly upper: Buffer;
  readonly seed: string;
}

let serial = 0;
const newSponsor = () => `sponsor-${(serial += 1)}`;

/** The batches of a sponsor, in the order of the chain. */
function chainOf(sponsorId: string): Promise<BatchRow[]> {
  return books.dataSource.query(
    `select packet_batch.activity_id as "activityId", batch_no as "batchNo", packet_batch.first_no as "firstNo", place,
            terms, commitment, root, upper_rows as upper, coalesce(top_up.seed, activity.seed) as seed
       from packet_batch
       join activity on activity.id = packet_batch.activity_id
       left join top_up on top_up.activity_id = activity.id and top_up.first_no = packet_batch.first_no
      where packet_batch.sponsor_id = $1 order by place`,
    [sponsorId],
  );
}

const termsOf = (row: BatchRow) => JSON.parse(row.terms) as BatchTerms;

/** Draws every batch again and compares everything that was written. */
async function expectProvable(chain: readonly BatchRow[]): Promise<void> {
  let previous = NO_COMMIT;
  for (const [place, row] of chain.entries()) {
    const { seed, firstNo, commitment, root, upper, activityId } = row;
    const terms = termsOf(row);
    expect(canonicalJson({ ...terms })).toBe(row.terms);
    expect([row.place, terms.previous, terms.activity, terms.batch]).toEqual([
      ...[place, previous, activityId, String(row.batchNo)],
    ]);
    const batch = new Batch(seed, terms, firstNo);
    const amounts = batch.amounts();
    expect(batch.commit).toEqual(commitment);
    expect(batch.tree(amounts)).toEqual({ root, upper });
    const written = (await books.packetAmounts(activityId)).slice(firstNo - 1, firstNo - 1 + amounts.length);
    expect([...amounts]).toEqual(written);
    previous = commitment.toString('hex');
  }
}

it('a creation, a top-up and the replacement of a void packet are one batch each, and form a chain', async () => {
  const [sponsorId, user] = [newSponsor(), 'robot'];
  await books.setStatus(user, 'frozen');
  const split = { kind: 'random', min: '0.5', max: '2' } as const;
  const activityId = await books.activity({ packets: 5, sponsorId, split });
  await books.topUp(activityId, { packets: 3, split: { kind: 'equal' } });
  await books.settlement.settle(await books.claim(activityId, [user]));
  const [letter] = await books.letters.list('open', undefined, 1);
  await books.declareVoid(letter!.id);
  await books.activity({
    packets: 3,
    sponsorId,
    totalMinor: 300n,
    split: {
      kind: 'tiers',
      tiers: [
        { amount: '1', count: 2 },
        { amount: '1.00', count: 1 },
      ],
    },
  });
  const chain = await chainOf(sponsorId);
  expect(chain.map((row) => [row.activityId === activityId, row.batchNo, row.firstNo])).toEqual([
    ...[
      [true, 0, 1],
      [true, 1, 6],
      [true, 2, 9],
    ],
    [false, 0, 1],
  ]);
  expect(termsOf(chain[0]!)).toMatchObject({ min: '0.50', max: '2.00', count: '5', total: '5.00' });
  expect(termsOf(chain[3]!).tiers).toEqual([
    { amount: '1.00', count: '2' },
    { amount: '1.00', count: '1' },
  ]);
  await expectProvable(chain);
});

it('simultaneous creations of one sponsor form one chain without a fork', async () => {
  const sponsorId = newSponsor();
  await Promise.all(Array.from({ length: 8 }, (_, i) => books.activity({ packets: i + 1, sponsorId })));
  const chain = await chainOf(sponsorId);
  expect(chain).toHaveLength(8);
  await expectProvable(chain);
});

it('a creation that fails after its packets were drawn leaves no gap in the chain', async () => {
  const sponsorId = newSponsor();
  jest.spyOn(books.ledger, 'transferFromSponsor').mockRejectedValueOnce(new Error('no money'));
  await expect(books.activity({ packets: 2, sponsorId })).rejects.toThrow('no money');
  await books.activity({ packets: 2, sponsorId });
  await expectProvable(await chainOf(sponsorId));
});

it('a batch of many packets is drawn by a thread of its own, with the same result', async () => {
  const sponsorId = newSponsor();
  await books.activity({ packets: 2_500, sponsorId });
  const chain = await chainOf(sponsorId);
  expect(chain[0]!.upper).toHaveLength(32 * (10 + 5 + 3 + 2));
  await expectProvable(chain);
});

it('a batch is never changed, and a second batch cannot take its place', async () => {
  const sponsorId = newSponsor();
  await books.activity({ packets: 2, sponsorId });
  await expect(books.dataSource.query('update packet_batch set place = place')).rejects.toThrow(
    'never changed',
  );
  const copy = books.dataSource.query(
    `insert into packet_batch select activity_id + 1000000, batch_no, first_no, sponsor_id, place, terms, commitment, root,
            upper_rows from packet_batch where sponsor_id = $1`,
    [sponsorId],
  );
  await expect(copy).rejects.toThrow('packet_batch_place_once');
});

it('a batch that waits in vain for a large batch of the same sponsor is refused with a request to retry, not as an outage', async () => {
  const sponsorId = newSponsor();
  const terms = { totalMinor: 1n, packetCount: 1, plan: { kind: 'equal' } } as const;
  const seed = '0'.repeat(64);
  await books.dataSource.transaction(async (large) => {
    await large.query(`select pg_advisory_xact_lock(hashtextextended('chain:' || $1, 0))`, [sponsorId]);
    const small = books.dataSource.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = '1ms'`);
      const batch = { activityId: '1', sponsorId, firstNo: 1, seed, terms, currency: books.currency };
      await new PacketBatches().write(tx, batch);
    });
    expect(await codeOf(small)).toBe('activity.creation_under_way');
  });
});
