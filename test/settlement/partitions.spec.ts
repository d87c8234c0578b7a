import type { DataSource, EntityManager } from 'typeorm';
import { type Activity, ActivityRepository } from '../../src/core/activity';
import { ExportRepository } from '../../src/extensions/export/export.repository';
import { ClaimRepository } from '../../src/core/grab/confirm/claim.repository';
import { WonPacketRepository } from '../../src/core/winners/won-packet.repository';
import { ClosingRepository } from '../../src/core/lifecycle/close/closing.repository';
import { CreationRepository } from '../../src/core/lifecycle/create/creation.repository';
import { LoadingRepository } from '../../src/core/recovery/record/loading.repository';
import { ProofRepository } from '../../src/core/reconciliation/proof.repository';
import { CreditChain, LedgerRepository } from '../../src/core/wallet';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { CreditOutlet } from '../../src/core/outlet';
import { WalletRepository } from '../../src/core/wallet/wallet.repository';
import { reservationOf } from '../harness/books';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

/** Activities in the first partitions, which a migration created. Each later partition holds one. */
const FIRST = 10_000;

proveBooks();
shareBooks({ PARTITION_ACTIVITIES: '1' });

/** Activities with a partition each. lin has won in two of them, and kim waits for a payment. */
let ids: string[];
let pending: string;

/** The second of `ids`. */
let activity: Activity;

beforeAll(async () => {
  await books.activity({ packets: 2 });
  await skipTo(FIRST);
  ids = [];
  for (let i = 0; i < 4; i++) ids.push(await books.activity({ packets: 4 }));
  for (const id of [ids[0]!, ids[2]!]) await books.settlement.settle(await books.claim(id, ['lin', 'mo']));
  pending = (await books.claim(ids[1]!, ['kim']))[0]!;
  activity = (await books.activities.findActivity(ids[1]!))!;
});

/** Makes the next activity get this id. */
const skipTo = (id: number) => books.dataSource.query(`select setval('activity_id_seq', $1)`, [id - 1]);

const partitionsOf = async (table: string): Promise<string[]> => {
  const rows = await books.dataSource.query<{ name: string }[]>(
    `select relid::regclass::text as name from pg_partition_tree($1::regclass) where isleaf order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
};

/** Returns the partitions that some work has locked: a plan locks what it may have to read. */
function locked(work: Work): Promise<string[]> {
  return books.undoing(async (tx) => {
    await tx.query(`set local lock_timeout = '1s'`);
    await work(repositoriesOver(tx));
    const rows = await tx.query<{ name: string }[]>(
      `select distinct relname as name from pg_locks join pg_class on pg_class.oid = relation
        where pid = pg_backend_pid() and relispartition and relkind = 'r' order by 1`,
    );
    return rows.map(({ name }) => name);
  });
}

function repositoriesOver(tx: EntityManager) {
  const db = tx as unknown as DataSource;
  const outlet = books.serviceOf(CreditOutlet);
  const activities = new ActivityRepository(db);
  const chain = new CreditChain(db, books.config);
  return {
    tx,
    claims: new ClaimRepository(db, books.config),
    closings: new ClosingRepository(db, activities),
    creations: new CreationRepository(db, books.config),
    exports: new ExportRepository(db),
    ledger: new LedgerRepository(),
    toLoad: new LoadingRepository(db),
    proofs: new ProofRepository(db),
    settlements: new SettlementRepository(db, books.config, outlet),
    wallets: new WalletRepository(db, chain),
    wonPackets: new WonPacketRepository(db, chain, outlet),
  };
}

type Repositories = ReturnType<typeof repositoriesOver>;
type Work = (own: Repositories) => Promise<unknown>;

const all = async (pages: AsyncIterable<unknown>): Promise<void> => {
  for await (const page of pages) void page;
};

type Table = 'claim' | 'packet' | 'transfer_credit';

/** Returns the partitions of the activity in `activity`. */
const only = (...tables: Table[]): string[] => tables.map((table) => `${table}_${FIRST + 1}`);

/** The partitions of lin's packets. Between them is another. */
const OF_LIN = ['claim', 'transfer_credit'].flatMap((table) =>
  [FIRST, FIRST + 2].map((first) => `${table}_${first}`),
);

const STATEMENTS: [what: string, touches: string[], work: Work][] = [
  [
    'confirming',
    only('claim', 'packet'),
    ({ claims }) => claims.confirm([reservationOf(ids[1]!, 'ann', 2), reservationOf(ids[1]!, 'bob', 3)]),
  ],
  [
    'refusing what somebody else has',
    only('claim', 'packet'),
    ({ claims }) => claims.confirm([reservationOf(ids[1]!, 'ann', 1)]),
  ],
  [
    'confirming packets of two activities',
    ['claim', 'packet'].flatMap((table) => [`${table}_${FIRST}`, `${table}_${FIRST + 2}`]),
    ({ claims }) => claims.confirm([reservationOf(ids[0]!, 'ann', 3), reservationOf(ids[2]!, 'ann', 3)]),
  ],
  ['settling', only('transfer_credit'), ({ settlements }) => settlements.credit([pending])],
  [
    'telling winners',
    only('claim', 'transfer_credit'),
    ({ settlements }) => settlements.newsOf([pending], [ids[1]!]),
  ],
  [
    'answering late taps',
    only('claim'),
    ({ claims }) => claims.tapFacts([{ activityId: ids[1]!, userId: 'kim' }]),
  ],
  [
    'finding a packet',
    only('claim', 'transfer_credit'),
    ({ wonPackets }) => wonPackets.findClaim(ids[1]!, 'kim'),
  ],
  [
    'listing an activity',
    only('claim', 'transfer_credit'),
    ({ wonPackets }) => wonPackets.listOfActivity(ids[1]!, 0, 10),
  ],
  [
    'loading packets',
    only('claim', 'packet'),
    ({ toLoad, tx }) => all(toLoad.unclaimedPackets(tx, { id: ids[1]!, part: 0, shard: 0 }, 1, 0)),
  ],
  ['loading claims', only('claim'), ({ toLoad, tx }) => all(toLoad.claims(tx, { id: ids[1]!, parts: 1 }))],
  ['closing', only('claim', 'packet'), ({ closings, tx }) => closings.remainder(tx, ids[1]!)],
  [
    'proving',
    [...only('claim', 'packet', 'transfer_credit'), 'transfer_other'],
    ({ proofs }) => proofs.sums(ids[1]!),
  ],
  [
    'exporting what winners were paid',
    only('claim', 'transfer_credit'),
    ({ exports }) => exports.credits(activity, 0, 10),
  ],
  [
    'exporting what the sponsor has paid',
    ['transfer_other'],
    ({ exports }) => exports.paidIn(activity, '0', 10),
  ],
  ['exporting what went back', ['transfer_other'], ({ exports }) => exports.paidBack(activity, '0', 10)],
  ['exporting packets', only('packet'), ({ exports }) => exports.packets(activity, 0, 10)],
  [
    'refunding',
    ['transfer_other'],
    ({ ledger, tx }) =>
      ledger.transfer(tx, {
        kind: 'refund',
        sourceId: ids[1]!,
        activityId: ids[1]!,
        amountMinor: 1n,
        debitAccountId: activity.escrowAccountId,
        creditAccountId: activity.sponsorAccountId,
      }),
  ],
  [
    'making partitions',
    ['claim', 'packet', 'transfer_credit'].map((table) => `${table}_${FIRST + 4}`),
    ({ creations, tx }) => creations.makePartitions(String(FIRST + 4), tx),
  ],
  ['finding partitions', [], ({ creations, tx }) => creations.makePartitions(ids[1], tx)],
  ['reading a wallet', [], ({ wallets, tx }) => wallets.read('kim', 'CNY', tx)],
  ['listing packets', OF_LIN, ({ wonPackets }) => wonPackets.listOfUser('lin', 'CNY', {}, 10)],
  ['listing unpaid packets', only('claim'), ({ wonPackets }) => wonPackets.listOfUser('kim', 'CNY', {}, 10)],
  [
    'listing entries',
    [...OF_LIN, 'transfer_other', 'transfer_payout'],
    ({ wallets }) => wallets.entries('lin', 'CNY', {}, {}, 10),
  ],
];

describe('partitions', () => {
  describe('while an old partition of each table is locked', () => {
    let release: () => Promise<void>;

    beforeAll(async () => {
      release = await books.hold((tx) => tx.query('lock table claim_0, packet_0, transfer_credit_0'));
    });

    afterAll(() => release());

    it.each(STATEMENTS)('%s touches only the partitions of its activity', async (_, touches, work) => {
      expect(await locked(work)).toEqual(touches);
      expect(await locked(work)).toEqual(touches);
    });
  });

  it('are created when a new activity finds none, for as many activities as configured', async () => {
    expect(await partitionsOf('claim')).toEqual(['claim_0', ...ids.map((id) => `claim_${id}`)]);
    expect(await partitionsOf('packet')).toEqual(['packet_0', ...ids.map((id) => `packet_${id}`)]);
    expect(await partitionsOf('transfer')).toEqual([
      ...['transfer_credit_0', ...ids.map((id) => `transfer_credit_${id}`)],
      'transfer_other',
      'transfer_payout',
    ]);
  });

  it('are created in advance, so that a new activity finds one', async () => {
    const { creations } = repositoriesOver(books.dataSource.manager);
    await creations.makePartitions();
    const made = await partitionsOf('claim');
    expect(made).toContain(`claim_${Number(ids.at(-1)) + 1}`);
    await creations.makePartitions();
    expect(await partitionsOf('claim')).toEqual(made);
  });

  it('are not created far in advance, whatever is requested', async () => {
    const far = repositoriesOver(books.dataSource.manager).creations.makePartitions('9000000000');
    await expect(far).rejects.toThrow('activity 9000000000 is too far ahead');
  });

  it('are created for a new activity after the sequence has jumped by millions, and not for the ids in between', async () => {
    const before = await partitionsOf('claim');
    await skipTo(10_000_000);
    expect(await books.claim(await books.activity({ packets: 1 }), ['ann'])).toHaveLength(1);
    const made = (await partitionsOf('claim')).filter((name) => !before.includes(name));
    // The next partition is created in advance.
    expect(made).toEqual(expect.arrayContaining(['claim_10000000']));
    expect(made.length).toBeLessThanOrEqual(3);
  });

  it('are larger or smaller after the setting has changed, and never overlap', async () => {
    const { dataSource } = books;
    const sized = (each: number) =>
      new CreationRepository(dataSource, { ...books.config, PARTITION_ACTIVITIES: each });
    await skipTo(10_000_500);
    await sized(10).makePartitions('10000500');
    await sized(1_000).makePartitions('10000501');
    await sized(1_000).makePartitions('10000999');
    await sized(1_000).makePartitions('10000499');
    const names = (await partitionsOf('packet')).filter((name) => /^packet_10000\d{3}$/.test(name));
    expect(names).toEqual(expect.arrayContaining(['packet_10000500', 'packet_10000510']));
    for (const id of [10_000_499, 10_000_500, 10_000_509, 10_000_510, 10_000_999])
      await dataSource.query(`insert into packet values ($1, 1, 1)`, [id]);
    await dataSource.query(`delete from packet where activity_id between 10000499 and 10000999`);
  });

  it('are created next to those of archived activities, and never in their place', async () => {
    await skipTo(20_000_100);
    const archived = [await books.activity({ packets: 1 }), await books.activity({ packets: 1 })];
    await skipTo(20_000_600);
    const parts = (await Promise.all(['claim', 'packet', 'transfer_credit'].map(partitionsOf))).flat();
    const wide = new CreationRepository(books.dataSource, { ...books.config, PARTITION_ACTIVITIES: 1_000 });
    await books.undoing(async (tx) => {
      for (const part of parts) if (part.includes('_200001')) await tx.query(`drop table ${part}`);
      await tx.query(`update activity set archived_at = now() where id = any($1)`, [archived]);
      await wide.makePartitions('20000500', tx);
      const [row] = await tx.query<{ bounds: string }[]>(
        `select pg_get_expr(relpartbound, oid) as bounds from pg_class where oid = to_regclass('claim_20000102')`,
      );
      expect(row).toEqual({ bounds: `FOR VALUES FROM ('20000102') TO ('20001000')` });
      await expect(wide.makePartitions(archived[1], tx)).rejects.toThrow('activity 20000101 is archived');
    });
  });

  it('are created while rains are running, without delaying a grab or a payment', async () => {
    await skipTo(FIRST + 100);
    const release = await books.hold((tx) => repositoriesOver(tx).creations.makePartitions(undefined, tx));
    const claimIds = await books.claim(ids[3]!, ['quick']);
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 1 });
    await release();
    expect(await partitionsOf('claim')).toContain(`claim_${FIRST + 100}`);
  });

  it('are created once if many new activities find none at the same time', async () => {
    await skipTo(FIRST + 102);
    await books.deposit('sponsor', 1_000n);
    const made = await Promise.all(Array.from({ length: 6 }, () => books.activity({ packets: 1 })));
    const parts = made.map((id) => `claim_${id}`);
    expect(await partitionsOf('claim')).toEqual(expect.arrayContaining(parts));
  });
});
