import type { DataSource } from 'typeorm';
import { OwnRedis, ShardJournals } from '../../libs/redis-scripts';
import { JournalBacklog } from '../../src/core/grab/journal/journal-backlog';
import { ProofWatch } from '../../src/core/reconciliation/proof-watch';
import { ProofRepository } from '../../src/core/reconciliation/proof.repository';
import { SettlementWatch } from '../../src/core/wallet/settlement-watch';
import { OverviewRepository } from '../../src/extensions/overview/overview.repository';
import { RainsNowRepository } from '../../src/extensions/overview/rains-now.repository';
import { Metrics } from '../../src/platform/telemetry';
import { waitFor } from '../harness/engines';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

const HOUR_MS = 3_600_000;

shareRain();

/** Returns the value of one series. */
async function valueOf(metrics: Metrics, series: string): Promise<number> {
  const line = (await metrics.expose()).split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

describe('a claim that is waiting to be paid', () => {
  it('is counted as unpaid after its confirmation, and as a dead letter after it is buried', async () => {
    const metrics = new Metrics();
    const watch = new SettlementWatch(books.settlements, rain.offers, metrics);
    const readMetrics = async () => {
      await watch.lookAtClaims();
      return [
        await valueOf(metrics, 'hongbao_unsettled_claims'),
        await valueOf(metrics, 'hongbao_dead_letters_open{reason="wallet_frozen"}'),
      ];
    };
    await books.setStatus('bob', 'frozen');
    const activityId = await books.activity({ packets: 2 });
    expect(await readMetrics()).toEqual([0, 0]);
    const claimIds = await books.claim(activityId, ['ann', 'bob']);
    expect(await readMetrics()).toEqual([2, 0]);
    await books.settlement.settle(claimIds);
    expect(await readMetrics()).toEqual([0, 1]);
  });

  it('is counted in the queue while no worker takes it', async () => {
    const metrics = new Metrics();
    const watch = new SettlementWatch(books.settlements, rain.offers, metrics);
    await rain.offers.offerAgain(['1', '5000']);
    await watch.lookAtQueue();
    expect(await valueOf(metrics, 'hongbao_settlement_queue_jobs{state="wait"}')).toBe(2);
  });
});

it('an activity whose wins are all paid has no oldest unpaid win, whatever other activities owe', async () => {
  const [paid, owing] = [await books.activity({ packets: 1 }), await books.activity({ packets: 1 })];
  const [claimIds, others] = [await books.claim(paid, ['cem']), await books.claim(owing, ['cem'])];
  await books.settlement.settle(claimIds);
  const oldest = (id: string) => books.serviceOf(OverviewRepository).oldestUnpaidSeconds(id);
  expect([await oldest(paid), await oldest(owing)]).toEqual([null, expect.any(Number)]);
  await books.settlement.settle(others);
});

it('an activity runs from its opening until its closing time, even if nobody has closed it yet', async () => {
  const [over, runs, opens] = [
    await books.activity({ packets: 1 }),
    await books.activity({ packets: 1 }),
    await books.activity({ packets: 1, opensInMs: HOUR_MS, closesInMs: 2 * HOUR_MS }),
  ];
  await books.dataSource.query('update activity set closes_at = now() where id = $1', [over]);
  const { runningIds, runningCount, nextIds } = await books
    .serviceOf(RainsNowRepository)
    .findRains(100, 100, false);
  const all = [over, runs, opens];
  expect(runningIds.filter((id) => all.includes(id))).toEqual([runs]);
  expect([runningCount, nextIds]).toEqual([runningIds.length, [opens]]);
});

it('the largest running activities of each currency come first, however many minor units activities in other currencies have', async () => {
  await books.addCurrency({ code: 'BEANS', kind: 'points', decimals: 0, name: 'Beans' });
  const small = await books.activity({ packets: 1, totalMinor: 1_000_000n });
  const large = await books.activity({ packets: 1, totalMinor: 2_000_000n });
  const beans = await books.activity({ packets: 1, totalMinor: 5n, currency: 'BEANS' });
  let last = beans;
  for (let more = 0; more < 3; more++)
    last = await books.activity({ packets: 1, totalMinor: 5n, currency: 'BEANS' });
  const { runningIds } = await books.serviceOf(RainsNowRepository).findRains(3, 1, false);
  expect(runningIds).toEqual([large, last, small]);
});

it('An activity that does not balance is reported until it balances again', async () => {
  const metrics = new Metrics();
  let connection: Pick<DataSource, 'query'> = books.dataSource;
  const query: DataSource['query'] = (...args) => connection.query(...args);
  const watch = new ProofWatch(new ProofRepository({ query } as DataSource), metrics);
  const activityId = await books.activity({ packets: 2 });
  const unbalanced = async () => {
    await watch.proveNextPage();
    return valueOf(metrics, 'hongbao_activities_unbalanced');
  };

  expect(await unbalanced()).toBe(0);
  const logged = jest.spyOn(watch['logger'], 'error').mockImplementation();
  await books.undoing(async (tx) => {
    await tx.query(`update activity set total_minor = total_minor + 1 where id = $1`, [activityId]);
    connection = tx;
    expect(await unbalanced()).toBe(1);
    expect(await unbalanced()).toBe(1);
  });
  connection = books.dataSource;
  expect(await unbalanced()).toBe(0);
  expect(logged).toHaveBeenCalledTimes(1);
  expect(logged).toHaveBeenCalledWith(expect.stringMatching(`Activity ${activityId} .* funded = total`));
  expect(await valueOf(metrics, 'hongbao_proofs_total{verdict="broken"}')).toBe(2);
});

describe('the journal', () => {
  it('is measured with the age of its oldest entry, until everything in it is decided', async () => {
    const api = await rain.openApi();
    const [backlog, metrics] = [api.get(JournalBacklog), api.get(Metrics)];
    const activityId = await rain.openRain({ packets: 2 });
    const shard = dispensing.keys.shardOf(activityId);
    const read = async () => {
      await backlog.measureJournals();
      return {
        entries: await valueOf(metrics, `hongbao_journal_entries{shard="${shard}"}`),
        seconds: await valueOf(metrics, `hongbao_journal_oldest_seconds{shard="${shard}"}`),
      };
    };
    expect(await read()).toEqual({ entries: 0, seconds: 0 });
    await dispensing.draw(activityId, 'eve');
    await waitFor(async () => (await read()).seconds > 0.05, { what: 'the entry to grow old' });
    expect(await read()).toMatchObject({ entries: 1 });
    await rain.journal.decideAll(shard);
    await waitFor(async () => (await read()).entries === 0, { what: 'the entry to be acknowledged' });
    expect(await read()).toEqual({ entries: 0, seconds: 0 });
  });

  it('is reported if its shard belongs to another installation, and other shards are still measured', async () => {
    const { redis, keys } = dispensing;
    const own = new OwnRedis(redis, keys.shardCount);
    own.identify('ours');
    const metrics = new Metrics();
    const backlog = new JournalBacklog(new ShardJournals(own), books.config, metrics);
    const health = () =>
      Promise.all(keys.shards.map((shard) => valueOf(metrics, `hongbao_shard_healthy{shard="${shard}"}`)));
    await backlog.measureJournals();
    expect(await health()).toEqual(keys.shards.map(() => 1));

    await redis.set(keys.installation(1), 'somebody');
    await expect(backlog.measureJournals()).rejects.toThrow('belongs to another installation');
    expect(await health()).toEqual(keys.shards.map((shard) => (shard === 1 ? 0 : 1)));
    await redis.del(keys.installation(1));
  });
});
