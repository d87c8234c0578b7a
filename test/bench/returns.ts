import { checkBooks, everythingSettled, type Installation, install, NO_RATE_LIMITS, tokenOf } from './api';
import { atMost, type Bench, type BenchResult } from './bench';
import { askAll, post } from './load';
import { clocked, number, percentile } from './measure';
import type { Server } from './product';
import { grab, WON } from './rains';
import type { Stage } from './stage';
import { until } from './until';

const CONNECTIONS = 32;
const PACKETS_EACH = 50;
const AMOUNT = '50.00';

/** Every fourth sender takes a packet of their own, so that refunds differ. */
const TAKEN_EVERY = 4;

const SECOND_MS = 1_000;
const POLL_MS = 50;
const RETURNED_WITHIN_MS = 900_000;

export const returns: Bench = {
  name: 'returns',
  question: 'How soon is unclaimed money back with its senders if all windows end in the same second?',
  run: measureReturns,
};

async function measureReturns(stage: Stage): Promise<BenchResult> {
  const installation = await install(stage);
  const api = await installation.api(NO_RATE_LIMITS);
  const worker = await installation.worker();
  const senders = Array.from({ length: stage.pick(10_000, 1_000, 20) }, (_, i) => `sender${i}`);
  const closesAtMs = await send(api, senders, stage.pick(600, 120, 30) * SECOND_MS);
  await takeSome(installation, api);
  if (Date.now() > closesAtMs) throw new Error('The first windows ended before all was prepared.');
  await until(() => Date.now() > closesAtMs, 'the end', RETURNED_WITHIN_MS, POLL_MS);
  const { cpu } = await clocked([worker.pid], () => allEnded(installation));
  await until(() => areTidy(installation), 'the last activity to be tidied up', RETURNED_WITHIN_MS, POLL_MS);
  await checkRefunds(installation, senders.length);
  await everythingSettled(installation);
  await checkBooks(installation);
  return resultOf(await delays(installation), cpu / senders.length);
}

/** Each sends one. Returns when the first window ends. */
async function send(api: Server, senders: readonly string[], withinMs: number): Promise<number> {
  const operator = tokenOf('operator', 'operator');
  const closesAtMs = Date.now() + withinMs;
  const deposits = senders.map((sender) =>
    post(`/v1/wallets/${sender}/deposits`, operator, { amount: AMOUNT }, `deposit-${sender}`),
  );
  const creations = senders.map((sender, i) =>
    post(
      '/v1/activities',
      tokenOf(sender),
      {
        name: 'Packet',
        totalAmount: AMOUNT,
        packetCount: PACKETS_EACH,
        split: { kind: 'random' },
        opensAt: new Date(closesAtMs - withinMs).toISOString(),
        closesAt: new Date(closesAtMs + (i % SECOND_MS)).toISOString(),
      },
      `packet-${sender}`,
    ),
  );
  await all(api, deposits, '201');
  await all(api, creations, '201');
  return closesAtMs;
}

async function takeSome({ dataSource }: Installation, api: Server): Promise<void> {
  const rains: { id: string; sponsorId: string }[] = await dataSource.query(
    `select id, sponsor_id as "sponsorId" from activity where id % ${TAKEN_EVERY} = 0`,
  );
  await all(
    api,
    rains.map(({ id, sponsorId }) => grab(id, tokenOf(sponsorId))),
    WON,
  );
}

async function all({ port }: Server, requests: readonly Buffer[], outcome: string): Promise<void> {
  await askAll(port, requests, { outcome, count: CONNECTIONS });
}

const allEnded = ({ dataSource }: Installation): Promise<void> =>
  until(
    async () => (await dataSource.query(`select from activity where status = 'active' limit 1`)).length === 0,
    'the last refund',
    RETURNED_WITHIN_MS,
    POLL_MS,
  );

/** To the cent: each activity has returned what nobody has claimed, once, to its sender. */
async function checkRefunds({ dataSource }: Installation, count: number): Promise<void> {
  const [row]: { right: number }[] = await dataSource.query(
    `select count(*)::integer as right
       from activity
       join account as wallet on wallet.id = activity.sponsor_account_id
      where wallet.balance_minor >= 0
        and total_minor - (select coalesce(sum(amount_minor), 0) from claim where activity_id = activity.id)
          = (select sum(amount_minor) from transfer where kind = 'refund' and activity_id = activity.id and credit_account_id = wallet.id)`,
  );
  if (row!.right !== count) throw new Error(`${count - row!.right} of ${count} refunds are not exact.`);
}

const areTidy = async ({ dataSource }: Installation): Promise<boolean> =>
  (await dataSource.query(`select from activity where tidied_at is null limit 1`)).length === 0;

interface Delay {
  /** From the end of the window to the refund. */
  readonly refunded: number;
  /** From the refund until Redis has forgotten the packets; verify waits for a minute. */
  readonly tidied: number;
}

/** In seconds. */
const delays = ({ dataSource }: Installation): Promise<Delay[]> =>
  dataSource.query(
    `select extract(epoch from closed_at - closes_at)::float8 as refunded,
            extract(epoch from tidied_at - closed_at)::float8 as tidied from activity`,
  );

function resultOf(delays: readonly Delay[], cpuSecondsEach: number): BenchResult {
  const seconds = delays.map(({ refunded }) => refunded);
  const tidied = Math.max(...delays.map((delay) => delay.tidied));
  const last = Math.max(...seconds);
  return {
    tables: [
      {
        title: `${number(seconds.length)} packets of ${PACKETS_EACH}, from the end of a window to its refund`,
        heading: [
          'median s',
          '99 % s',
          'last s',
          'worker CPU ms each',
          'longest until Redis was tidied up s',
        ],
        rows: [
          [percentile(seconds, 0.5), percentile(seconds, 0.99), last, cpuSecondsEach * 1_000, tidied].map(
            number,
          ),
        ],
        remark: 'One worker and one API. All windows end within one second.',
      },
    ],
    targets: [
      atMost('the last refund', 60, ' s', last),
      atMost('the longest until Redis was tidied up', 60, ' s', tidied),
    ],
  };
}
