import { checkBooks } from './api';
import { atLeast, atMost, type Bench, type BenchResult, type Table, type Target } from './bench';
import { type Figures, medianRatio, number, type Sample, spread } from './measure';
import { assertAllCredited, confirmClaims, type Rains } from './settle-books';
import { steadyRain } from './settle-rain';
import {
  copyCredits,
  finishCopied,
  type MeasuredBooks,
  prepareBooks,
  type Rival,
  settleByProduct,
  startRival,
  writeCopyFiles,
} from './settle-ways';
import type { Stage } from './stage';

const CLAIMS_PER_JOB = 1_000;
const WINS_PER_SECOND = 2_000;

const OURS = 'jobs of 1,000 claims, one hot activity';
const OURS_SMALL = 'jobs of 1,000 claims, many small activities';
const RIVAL = 'one job and one transaction per claim';
const COPY = 'COPY of the ledger rows, one wallet update';
const COPY_PARTS = 'COPY in parts of 1,000 with a wallet update each';

/** All ways in the order of tables and charts; they run forwards and backwards in turn. */
const WAYS = [OURS, OURS_SMALL, RIVAL, COPY_PARTS, COPY];

export const settle: Bench = {
  name: 'settle',
  question: 'How fast does the money of confirmed claims reach the wallets?',
  run: measureSettlement,
};

async function measureSettlement(stage: Stage): Promise<BenchResult> {
  const engines = { postgres: await stage.postgres(), redis: await stage.redis() };
  const plain = await prepareBooks(stage, engines, 0);
  const rival = startRival(stage, plain);
  const ways = await compareWays(stage, plain, rival);

  const rain = await steadyRain(stage, { winsPerSecond: WINS_PER_SECOND, seconds: stage.pick(20, 6, 0.2) });
  return { tables: [tableOfWays(ways), tableOfRain(rain)], targets: targetsOf(ways, rain) };
}

async function compareWays(stage: Stage, books: MeasuredBooks, rival: Rival): Promise<Figures> {
  const claims = stage.pick(100_000, 10_000, 2_000);
  const hot = { activities: 1, packetsEach: claims };
  const variants = [
    { name: OURS, run: () => byProduct(books, hot) },
    { name: OURS_SMALL, run: () => byProduct(books, { activities: claims / 100, packetsEach: 100 }) },
    { name: RIVAL, run: () => byRival(books, rival, { ...hot, packetsEach: stage.pick(5_000, 1_000, 100) }) },
    { name: COPY, run: () => byCopy(books, hot, claims) },
    { name: COPY_PARTS, run: () => byCopy(books, hot, CLAIMS_PER_JOB) },
  ];
  const figures = await stage.interleave(variants, stage.pick(5, 2, 0));
  await checkBooks({ dataSource: books.db });
  return figures;
}

async function byProduct(books: MeasuredBooks, rains: Rains): Promise<Sample> {
  const claimIds = await confirmClaims(books.db, rains);
  return timed(books, claimIds.length, () => settleByProduct(books, claimIds));
}

async function byRival(books: MeasuredBooks, rival: Rival, rains: Rains): Promise<Sample> {
  const claims = await rival.read(await confirmClaims(books.db, rains));
  return timed(books, claims.length, () => rival.settle(claims));
}

async function byCopy(books: MeasuredBooks, rains: Rains, rowsPerPart: number): Promise<Sample> {
  const claimIds = await confirmClaims(books.db, rains);
  const parts = await writeCopyFiles(books, claimIds, rowsPerPart);
  return timed(
    books,
    claimIds.length,
    () => copyCredits(books, parts),
    () => finishCopied(books),
  );
}

async function timed(
  books: MeasuredBooks,
  claims: number,
  work: () => Promise<void>,
  finish: () => Promise<void> = async () => undefined,
): Promise<Sample> {
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  await finish();
  await assertAllCredited(books.db);
  return { claimsPerSecond: claims / seconds };
}

const rateOf = (figures: Figures, name: string): readonly number[] => figures[name]!.claimsPerSecond!;

function tableOfWays(ways: Figures): Table {
  return {
    title: 'From confirmed claims to credited wallets',
    heading: ['way', 'claims/s', 'of COPY', 'of COPY in the same batches', '× job per claim'],
    rows: WAYS.map((name) => [
      name,
      spread(rateOf(ways, name)),
      medianRatio(rateOf(ways, name), rateOf(ways, COPY)).toFixed(2),
      medianRatio(rateOf(ways, name), rateOf(ways, COPY_PARTS)).toFixed(2),
      number(medianRatio(rateOf(ways, name), rateOf(ways, RIVAL))),
    ]),
    remark:
      'Jobs go through the real queue and the compiled worker process, from the first job added to the last one done. ' +
      'COPY reads a file on the server and neither looks for claims that are paid already, nor moves the escrow, nor marks anything: no settlement can be faster.',
  };
}

function tableOfRain(rain: Sample): Table {
  const ms = (name: string) => `${number(rain[name]!)} ms`;
  return {
    title: `A steady rain of ${number(WINS_PER_SECOND)} wins a second over HTTP`,
    heading: ['from → to', 'p50', 'p99', 'most'],
    rows: [
      ['claim confirmed → transfer written', ms('creditedP50Ms'), ms('creditedP99Ms'), ms('creditedMostMs')],
    ],
    remark: `Reached ${number(rain.winsPerSecond!)} wins a second. Both instants are starts of their transactions, by the clock of Postgres.`,
  };
}

function targetsOf(ways: Figures, rain: Sample): Target[] {
  return [
    atLeast(
      'settlement through the real jobs ÷ COPY, both in batches of 1,000',
      0.7,
      '',
      medianRatio(rateOf(ways, OURS), rateOf(ways, COPY_PARTS)),
    ),
    atLeast(
      'settlement ÷ one job and one transaction per claim',
      40,
      ' ×',
      medianRatio(rateOf(ways, OURS), rateOf(ways, RIVAL)),
    ),
    atMost('"won" to "credited" at 2,000 wins a second, p99', 1, ' s', rain.creditedP99Ms! / 1000),
  ];
}
