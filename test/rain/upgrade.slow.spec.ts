import type { Program } from '../../src/dev/engines';
import { redPacketId } from '../../libs/red-packet-id';
import { Balancer } from '../harness/balancer';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { makeNextRelease, type NextRelease } from '../harness/next-release';
import { SteadyLoad } from '../harness/steady-load';

/** Number of requests between two changes, so that every mixture of programs is tested. */
const REQUESTS = 100;

interface Server {
  readonly program: Program;
  readonly url: string;
}

interface ClaimRow {
  readonly activity_id: string;
  readonly user_id: string;
  readonly packet_no: number;
  readonly amount_minor: string;
}

const balancer = new Balancer();
let rain: Installation;
let next: NextRelease;
let apis: Server[];
let load: SteadyLoad;
let lastOfNext: string;

const settings = { RATE_LIMIT_USER_PER_SECOND: '1000000', RATE_LIMIT_ADDRESS_PER_SECOND: '1000000' };

const versionOf = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/health/live`);
  return ((await answer.json()) as { version: string }).version;
};

async function retire(program: Program): Promise<void> {
  await program.stop();
  expect(program.exitCode).toBe(0);
}

async function replaceWorker(dist?: string): Promise<void> {
  const former = rain.worker!;
  await rain.startWorker(settings, dist);
  await retire(former);
}

/** Each new API starts before the old one ends, as in Kubernetes. */
async function replaceApis(dist?: string): Promise<void> {
  for (const former of apis.splice(0)) {
    const api = await rain.startAnother('main.js', settings, dist);
    apis.push(api);
    balancer.add(api.url);
    await load.waitForMore(REQUESTS);
    await balancer.remove(former.url);
    await retire(former.program);
  }
}

async function upgrade(): Promise<void> {
  load.enter('upgrade');
  expect(await rain.migrate(next.dist)).toContain(
    `Migrated: ${[...next.migrations, 'confirm/confirm.sql'].join(', ')}.`,
  );
  await load.waitForMore(REQUESTS);
  await replaceWorker(next.dist);
  await replaceApis(next.dist);
  expect(await Promise.all(apis.map(({ url }) => versionOf(url)))).toEqual([next.version, next.version]);
  await load.waitForMore(REQUESTS);
}

async function downgrade(): Promise<void> {
  load.enter('downgrade');
  expect(await rain.migrate()).toContain('The database is newer than this program, and serves it');
  await replaceApis();
  await replaceWorker();
  lastOfNext = await newestClaim();
  await load.waitForMore(REQUESTS);
}

const newestClaim = async (): Promise<string> => {
  const row = await rain.row<{ id: string }>('select max(id) as id from claim');
  return row.id;
};

beforeAll(async () => {
  rain = await Installation.startWithWorker(settings);
  next = makeNextRelease();
  apis = [{ program: rain.api, url: rain.url }, await rain.startAnother('main.js', settings)];
  apis.forEach(({ url }) => balancer.add(url));
  const longRain = await rain.createActivity({ totalAmount: '500.00', packetCount: 5_000 });
  load = new SteadyLoad(rain, balancer, longRain, 'before');
  try {
    await load.waitForMore(REQUESTS);
    await upgrade();
    await downgrade();
  } finally {
    await load.stop();
  }
  await waitFor(async () => (await rain.sql('select from unsettled_claim limit 1')).length === 0, {
    what: 'the last payment',
  });
});

afterAll(async () => {
  await rain.stop();
  next.discard();
});

const countOf = async (what: string): Promise<number> => {
  const row = await rain.row<{ count: string }>(`select count(*) as count from ${what}`);
  return Number(row.count);
};

describe('an upgrade with migrations under load, and its downgrade,', () => {
  it('do not fail any request', () => {
    const tallies = ['before', 'upgrade', 'downgrade'].map((phase) => ({ phase, ...load.in(phase) }));
    for (const { phase, requests, failures } of tallies)
      process.stderr.write(`${phase}: requests ${requests}, failed ${failures.length}\n`);
    expect(tallies.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...tallies.map(({ requests }) => requests))).toBeGreaterThanOrEqual(REQUESTS);
  });

  it('let every program call the functions that it was built with', async () => {
    expect(await countOf(`claim where confirmed_by = 'next'`)).toBeGreaterThan(0);
    expect(await countOf('claim where confirmed_by is null')).toBeGreaterThan(0);
    const after = `claim where id > ${lastOfNext}`;
    expect(await countOf(after)).toBeGreaterThan(0);
    expect(await countOf(`${after} and confirmed_by is not null`)).toBe(0);
  });

  it('keep every answered win, and add no other', async () => {
    const claims = await rain.sql<ClaimRow>(
      'select activity_id, user_id, packet_no, amount_minor from claim',
    );
    const kept = claims.map(({ activity_id, user_id, packet_no, amount_minor }) => [
      `${activity_id}/${user_id}`,
      { redPacketId: redPacketId(activity_id, packet_no), amount: (Number(amount_minor) / 100).toFixed(2) },
    ]);
    expect(Object.fromEntries(kept)).toEqual(Object.fromEntries(load.wins));
  });

  it('give every request a single effect, and pay every win once', async () => {
    expect(await countOf(`transfer where kind = 'deposit'`)).toBe(load.done.deposits + 1);
    expect(await countOf('activity')).toBe(load.done.activities + 1);
    expect(await countOf(`transfer where kind = 'credit'`)).toBe(load.wins.size);
  });

  it('leave books that balance, as both releases confirm', async () => {
    expect(await rain.verify()).toContain(`the newer release, which has run ${next.migrations.join(', ')}.`);
    expect(await rain.verify(next.dist)).not.toContain('newer release');
  });
});
