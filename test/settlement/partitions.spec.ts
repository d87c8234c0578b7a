import type { DataSource, EntityManager } from 'typeorm';
import { type Activity, ActivityRepository } from '../../src/modules/activity';
import { ExportRepository } from '../../src/modules/export/export.repository';
import { ClaimRepository } from '../../src/modules/grab/claim.repository';
import { WonPacketRepository } from '../../src/modules/grab/won-packet.repository';
import { ClosingRepository } from '../../src/modules/lifecycle/close/closing.repository';
import { CreationRepository } from '../../src/modules/lifecycle/create/creation.repository';
import { LoadingRepository } from '../../src/modules/recovery/loading.repository';
import { ProofRepository } from '../../src/modules/reconciliation/proof.repository';
import { LedgerRepository } from '../../src/modules/wallet';
import { SettlementRepository } from '../../src/modules/wallet/settlement.repository';
import { WalletRepository } from '../../src/modules/wallet/wallet.repository';
import { type Books, openBooks, reservationOf } from '../harness/books';

/** Activities in the first partitions, which a migration made. Each later one holds one. */
const FIRST = 10_000;

let books: Books;
let close: () => Promise<void>;

/** Activities with a partition each. lin has won in two of them, and kim waits for a payment. */
let ids: string[];
let pending: string;

/** The second of `ids`. */
let activity: Activity;

beforeAll(async () => {
  ({ books, close } = await openBooks({ PARTITION_ACTIVITIES: '1' }));
  await books.activity({ packets: 2 });
  await skipTo(FIRST);
  ids = [];
  for (let i = 0; i < 4; i++) ids.push(await books.activity({ packets: 4 }));
  for (const id of [ids[0]!, ids[2]!]) await books.settlement.settle(await books.claim(id, ['lin', 'mo']));
  pending = (await books.claim(ids[1]!, ['kim']))[0]!;
  activity = (await books.activities.findActivity(ids[1]!))!;
});

afterAll(async () => {
  expect(await books.broken()).toEqual([]);
  await close();
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

/** Returns the names of the partitions whose row in pg_index matches `which`. */
const namesWhere = async (tx: EntityManager, which: string, values: unknown[] = []): Promise<string[]> => {
  const rows = await tx.query<{ name: string }[]>(
    `select distinct indrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indrelid
      where relispartition and relkind = 'r' and (${which}) order by 1`,
    values,
  );
  return rows.map(({ name }) => name);
};

/**
 * Returns the partitions that some work has opened. Reading and planning keep a lock on indexes,
 * writing keeps one on the table.
 */
function opened(work: Work): Promise<string[]> {
  return books.undoing(async (tx) => {
    await work(repositoriesOver(tx));
    return namesWhere(
      tx,
      `exists (select from pg_locks where pid = pg_backend_pid()
                and (relation = indexrelid or (relation = indrelid and mode = 'RowExclusiveLock')))`,
    );
  });
}

/**
 * Returns the partitions that some work has read, by the scans that the server counts for its
 * transaction.
 */
function read(work: Work): Promise<string[]> {
  return books.undoing(async (tx) => {
    const scans = `pg_stat_get_xact_numscans(indexrelid) + pg_stat_get_xact_numscans(indrelid)`;
    const before = await tx.query<{ counts: unknown }[]>(
      `select jsonb_object_agg(indexrelid, ${scans}) as counts from pg_index`,
    );
    await work(repositoriesOver(tx));
    const counts = JSON.stringify(before[0]!.counts);
    return namesWhere(tx, `${scans} > ($1::jsonb ->> indexrelid::text)::bigint`, [counts]);
  });
}

function repositoriesOver(tx: EntityManager) {
  const db = tx as unknown as DataSource;
  const activities = new ActivityRepository(db);
  return {
    tx,
    claims: new ClaimRepository(db),
    closings: new ClosingRepository(db, activities),
    creations: new CreationRepository(db, books.config),
    exports: new ExportRepository(db),
    ledger: new LedgerRepository(books.config),
    toLoad: new LoadingRepository(db),
    proofs: new ProofRepository(db),
    settlements: new SettlementRepository(db, books.config),
    wallets: new WalletRepository(db, books.config),
    wonPackets: new WonPacketRepository(db),
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

const STATEMENTS: [what: string, opens: string[], work: Work][] = [
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
  ['settling', only('transfer_credit'), ({ settlements }) => settlements.credit([pending])],
  [
    'telling winners',
    only('claim', 'transfer_credit'),
    ({ settlements }) => {
      const id = BigInt(ids[1]!);
      return settlements.newsOf([pending], { first: id, last: id });
    },
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
        ...{ kind: 'refund', sourceId: ids[1]!, activityId: ids[1]!, amountMinor: 1n },
        ...{ debitAccountId: activity.escrowAccountId, creditAccountId: activity.sponsorAccountId },
      }),
  ],
  ['reading a wallet', [], ({ wallets, tx }) => wallets.read('kim', tx)],
];

describe('partitions', () => {
  it.each(STATEMENTS)('%s opens only the partitions of its activity', async (_, opens, work) => {
    // This first run plans the functions, once per connection, which opens all partitions.
    await books.undoing((tx) => work(repositoriesOver(tx)));
    expect(await opened(work)).toEqual(opens);
  });

  it.each<[string, Work, string[]]>([
    ['packets', ({ wonPackets }) => wonPackets.listOfUser('lin', 'CNY', {}, 10), []],
    ['entries', ({ wallets }) => wallets.entries('lin', {}, {}, 10), ['transfer_other']],
  ])('a list of the %s of a user reads those in which the user has won', async (_, work, others) => {
    const won = [FIRST, FIRST + 2].flatMap((first) => [`claim_${first}`, `transfer_credit_${first}`]);
    expect(await read(work)).toEqual([...won, ...others].sort());
  });

  it('are made when a new activity finds none, for as many activities as the settings say', async () => {
    expect(await partitionsOf('claim')).toEqual(['claim_0', ...ids.map((id) => `claim_${id}`)]);
    expect(await partitionsOf('packet')).toEqual(['packet_0', ...ids.map((id) => `packet_${id}`)]);
    expect(await partitionsOf('transfer')).toEqual([
      ...['transfer_credit_0', ...ids.map((id) => `transfer_credit_${id}`)],
      'transfer_other',
    ]);
  });

  it('are made ahead, so that a new activity finds one', async () => {
    const { creations } = repositoriesOver(books.dataSource.manager);
    await creations.makePartitions();
    const made = await partitionsOf('claim');
    expect(made).toContain(`claim_${Number(ids.at(-1)) + 1}`);
    await creations.makePartitions();
    expect(await partitionsOf('claim')).toEqual(made);
  });

  it('are not made far ahead, whatever is asked', async () => {
    const far = repositoriesOver(books.dataSource.manager).creations.makePartitions('9000000000');
    await expect(far).rejects.toThrow('activity 9000000000 is too far ahead');
  });

  it('are made while rains go on: no grab and no payment waits for it', async () => {
    await skipTo(FIRST + 100);
    const release = await books.hold((tx) => repositoriesOver(tx).creations.makePartitions(undefined, tx));
    const claimIds = await books.claim(ids[3]!, ['quick']);
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 1 });
    await release();
    expect(await partitionsOf('claim')).toContain(`claim_${FIRST + 100}`);
  });

  it('are made once when many new activities find none at the same time', async () => {
    await skipTo(FIRST + 102);
    await books.deposit('sponsor', 1_000n);
    const made = await Promise.all(Array.from({ length: 6 }, () => books.activity({ packets: 1 })));
    const parts = made.map((id) => `claim_${id}`);
    expect(await partitionsOf('claim')).toEqual(expect.arrayContaining(parts));
  });
});
