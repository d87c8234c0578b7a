import type { DataSource } from 'typeorm';
import { ClaimRepository } from '../../src/core/grab/confirm/claim.repository';
import { WalletService } from '../../src/core/wallet/wallet.service';
import { loadConfig } from '../../src/platform/config';
import { Graph } from '../harness/graph';
import { atLeast, type Bench, type BenchResult, type Table, type Target } from './bench';
import { type Figures, medianRatio, number, type Sample, spread } from './measure';
import { assertAllCredited, COLLECTOR, confirmClaims, openRain, USERS, writeHistory } from './settle-books';
import { type MeasuredBooks, prepareBooks, settleByProduct } from './settle-ways';
import type { Stage } from './stage';

const PACKETS_EACH = 100;
const CLAIMS_AT_ONCE = 250;
const CONFIRMATIONS_AT_ONCE = 2;
const PAGE_LIMIT = 100;
const PAGES_DEEP = 20;

interface Books extends MeasuredBooks {
  readonly size: number;
  readonly services: Graph;
}

export const books: Bench = {
  name: 'books',
  question: 'Do settlement, confirmation and lists slow down as the books grow?',
  run: measureBooks,
};

async function measureBooks(stage: Stage): Promise<BenchResult> {
  const engines = { postgres: await stage.postgres(), redis: await stage.redis() };
  const grown: Books[] = [];
  for (const [i, size] of stage.pick([100_000, 10_000_000], [10_000, 300_000], [1_000, 3_000]).entries())
    grown.push(await withServices(await prepareBooks(stage, engines, i, historyOf(size)), size));

  const claims = stage.pick(50_000, 10_000, 500);
  const rounds = stage.pick(5, 2, 0);
  const measured = (run: (own: Books) => Promise<Sample>): Promise<Figures> =>
    stage.interleave(
      grown.map((own) => ({ name: nameOf(own), run: () => run(own) })),
      rounds,
    );
  const settled = await measured((own) => settleSome(own, claims));
  for (const { worker } of grown) await worker.stop();
  const confirmed = await measured((own) => confirmSome(own, claims));
  const listed = await measured(readLists);
  return {
    tables: [
      tableOf('Settlement', grown, settled),
      tableOf('Confirmation', grown, confirmed),
      tableOfLists(grown, listed),
    ],
    targets: stage.size === 'full' ? targetsOf(grown, settled, confirmed) : [],
  };
}

const historyOf = (size: number) => (db: DataSource) =>
  writeHistory(db, { activities: size / PACKETS_EACH, packetsEach: PACKETS_EACH });

async function withServices(own: MeasuredBooks, size: number): Promise<Books> {
  const config = loadConfig({
    DATABASE_URL: own.databaseUrl,
    REDIS_URL: own.redisUrl,
    JWT_SECRET: 'no-token-is-signed-in-this-bench-0123456789',
  });
  const services = await Graph.api({ config, dataSource: own.db });
  return { ...own, size, services };
}

async function settleSome(own: Books, claims: number): Promise<Sample> {
  const claimIds = await confirmClaims(own.db, { activities: 1, packetsEach: claims });
  const sample = await logged(own.db, claims, () => settleByProduct(own, claimIds));
  await assertAllCredited(own.db);
  return sample;
}

async function confirmSome({ db, services }: Books, claims: number): Promise<Sample> {
  const activityId = await openRain(db, claims);
  const repository = services.get(ClaimRepository);
  let next = claims;
  const winners = async (): Promise<void> => {
    while (next > 0) {
      const last = next;
      next -= CLAIMS_AT_ONCE;
      const batch = Array.from({ length: CLAIMS_AT_ONCE }, (_, i) => reservation(activityId, last - i));
      await repository.confirm(batch);
    }
  };
  const sample = await logged(db, claims, () =>
    Promise.all(Array.from({ length: CONFIRMATIONS_AT_ONCE }, winners)),
  );
  const [row] = await db.query<{ count: string }[]>(
    `select count(*) as count from claim where activity_id = $1`,
    [activityId],
  );
  if (Number(row!.count) !== claims) throw new Error(`${row!.count} of ${claims} winners were confirmed.`);
  await db.query(`delete from unsettled_claim`);
  return sample;
}

const reservation = (activityId: string, no: number) => ({
  activityId,
  userId: `user-${1 + ((no * 7919) % USERS)}`,
  packet: { no, amountMinor: 1n },
  shard: 0,
});

/** Starts from a checkpoint, so that every run logs the same pages in full. */
async function logged(db: DataSource, claims: number, work: () => Promise<unknown>): Promise<Sample> {
  await db.query('checkpoint');
  const position = await logPosition(db);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  return {
    claimsPerSecond: claims / seconds,
    logBytesPerClaim: ((await logPosition(db)) - position) / claims,
  };
}

async function logPosition(db: DataSource): Promise<number> {
  const [row] = await db.query<{ bytes: string }[]>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`);
  return Number(row!.bytes);
}

/** Reads pages of the user who has an entry in every rain. */
async function readLists({ services }: Books): Promise<Sample> {
  const wallets = services.get(WalletService);
  const began = performance.now();
  let { nextCursor: cursor } = await wallets.entries(COLLECTOR, { limit: PAGE_LIMIT });
  const entriesMs = performance.now() - began;
  for (let page = 0; page < PAGES_DEEP && cursor !== null; page++)
    cursor = (await wallets.entries(COLLECTOR, { limit: PAGE_LIMIT, cursor })).nextCursor;
  return { entriesMs, deepEntriesMs: (performance.now() - began - entriesMs) / PAGES_DEEP };
}

const nameOf = ({ size }: Books): string => `after ${number(size)} claims`;

const of = (figures: Figures, own: Books, figure: string): readonly number[] =>
  figures[nameOf(own)]![figure]!;

const ratio = (figures: Figures, [small, large]: readonly Books[], figure = 'claimsPerSecond'): number =>
  medianRatio(of(figures, large!, figure), of(figures, small!, figure));

function tableOf(what: string, grown: readonly Books[], figures: Figures): Table {
  return {
    title: `${what} in books that have grown`,
    heading: ['books', 'claims/s', 'of the smallest', 'log, bytes a claim'],
    rows: grown.map((own) => [
      nameOf(own),
      spread(of(figures, own, 'claimsPerSecond')),
      ratio(figures, [grown[0]!, own]).toFixed(2),
      spread(of(figures, own, 'logBytesPerClaim')),
    ]),
    remark: 'Each run follows a checkpoint. The number of wallets is the same in all books.',
  };
}

function tableOfLists(grown: readonly Books[], figures: Figures): Table {
  const rows = { 'the first 100 entries': 'entriesMs', 'the next pages of 100, each': 'deepEntriesMs' };
  return {
    title: 'A wallet with an entry in every rain, in ms',
    heading: ['list', ...grown.map(({ size }) => `${number(size / PACKETS_EACH)} entries`)],
    rows: Object.entries(rows).map(([list, figure]) => [
      list,
      ...grown.map((own) => spread(of(figures, own, figure))),
    ]),
  };
}

function targetsOf(grown: readonly Books[], settled: Figures, confirmed: Figures): Target[] {
  return [
    atLeast('settlement in books of 10 million claims ÷ of 100 thousand', 0.95, '', ratio(settled, grown)),
    atLeast(
      'confirmation in books of 10 million claims ÷ of 100 thousand',
      0.95,
      '',
      ratio(confirmed, grown),
    ),
  ];
}
