import {
  everythingSettled,
  type Installation,
  install,
  NO_RATE_LIMITS,
  openActivity,
  operatorOf,
  tokensOf,
} from './api';
import { atLeast, atMost, type Bench, type BenchResult } from './bench';
import { askAll } from './load';
import { median, number, percentile, type Sample, spread } from './measure';
import { openChannel, type Place } from './payout-channel';
import { besideTrouble } from './payout-trouble';
import { grabs, WON } from './rains';
import { cpuSecondsOfAll } from './server-cpu';
import type { Stage } from './stage';

const CONNECTIONS = 64;
const US_PER_SECOND = 1e6;

/** More than any process here reaches. */
const NO_LIMIT = 10_000;

/** Production calls public addresses only. */
const TO_LOOPBACK = { NODE_ENV: 'test', WEBHOOK_PRIVATE_ADDRESSES: 'true' };

export const payouts: Bench = {
  name: 'payouts',
  question:
    'How fast does won money leave for a balance system, and what does that cost compared with the win?',
  run: measurePayouts,
};

async function measurePayouts(stage: Stage): Promise<BenchResult> {
  const installation = await install(stage);
  const api = await installation.api({ ...NO_RATE_LIMITS, ...TO_LOOPBACK });
  const worker = await installation.worker(TO_LOOPBACK);
  const place = { stage, installation, api, worker, operator: operatorOf(api) };
  const wins = stage.pick(20_000, 4_000, 50);
  const cost = await stage.interleave(
    [{ name: 'cost', run: () => costOfPayouts(place, wins) }],
    stage.pick(3, 1, 0),
  );
  const limit = stage.pick(1_000, 500, 500);
  const limited = await atTheLimit(place, limit, stage.pick(20, 6, 0.1));
  const waits = await atHalfLoad(place, limit, stage.pick(20, 6, 0.1));
  const trouble = await besideTrouble(place);
  const { winUs, payoutUs, perSecond, ratio } = cost.cost!;
  return {
    tables: [
      {
        title: 'From wallets to a balance system that takes 20 ms for a payment',
        heading: ['what', 'payouts/s', 'µs of processor a payout', 'of a win'],
        rows: [
          ['as fast as it goes', spread(perSecond!), spread(payoutUs!), spread(winUs!)],
          [`a receiver that takes ${number(limit)} a second`, number(limited), '', ''],
        ],
        remark:
          'Processor time of API, worker, Postgres and Redis together: of a win from the tap to the credited wallet, of a payout from there to the books.',
      },
      {
        title: `Half of that load: ${number(limit / 2)} wins a second over HTTP`,
        heading: ['from → to', 'p50', 'p99', 'most'],
        rows: [
          ['credited → paid', ...[0.5, 0.99, 1].map((share) => `${number(percentile(waits, share))} ms`)],
        ],
      },
      trouble.table,
    ],
    targets: [
      atLeast("payouts a second ÷ the receiver's own limit", 0.95, '', limited / limit),
      atMost('processor time of a payout ÷ that of its win', 1, '', median(ratio!)),
      atMost('"credited" to "paid" at half load, p99', 1, ' s', percentile(waits, 0.99) / 1_000),
      ...trouble.targets,
    ],
  };
}

/** The CPU time of wins and of their payouts, with no limit other than ourselves. */
async function costOfPayouts(place: Place, wins: number): Promise<Sample> {
  const { operator, installation, api, worker } = place;
  const channel = await openChannel(place, NO_LIMIT);
  const activityId = await openActivity(operator, wins, { payout: { channelId: channel.id } });
  await pause(place, channel.id, true);
  const programs = [api, worker, installation.postgres, installation.redis];
  const used = () => cpuSecondsOfAll(programs);
  const began = used();
  await rain(place, activityId, wins);
  await everythingSettled(installation);
  const credited = used();
  await pause(place, channel.id, false);
  await channel.havePaid(wins);
  const paid = used();
  const perSecond = await rateOf(installation, channel.id);
  await channel.end(wins);
  const [win, payout] = [credited - began, paid - credited];
  return {
    winUs: (win / wins) * US_PER_SECOND,
    payoutUs: (payout / wins) * US_PER_SECOND,
    ratio: payout / win,
    perSecond,
  };
}

/** Payouts a second, while those of some seconds wait for a receiver with a limit. */
async function atTheLimit(place: Place, limit: number, seconds: number): Promise<number> {
  const { operator, installation } = place;
  const channel = await openChannel(place, limit);
  const wins = limit * seconds;
  const activityId = await openActivity(operator, wins, { payout: { channelId: channel.id } });
  await pause(place, channel.id, true);
  await rain(place, activityId, wins);
  await everythingSettled(installation);
  await pause(place, channel.id, false);
  await channel.havePaid(wins);
  await channel.end(wins);
  return rateOf(installation, channel.id);
}

/** Milliseconds from the credit of each win to the payment in the books. */
async function atHalfLoad(place: Place, limit: number, seconds: number): Promise<number[]> {
  const channel = await openChannel(place, limit);
  const wins = (limit / 2) * seconds;
  const activityId = await openActivity(place.operator, wins, { payout: { channelId: channel.id } });
  await rain(place, activityId, wins, limit / 2);
  await channel.havePaid(wins);
  await channel.end(wins);
  const rows: { ms: number }[] = await place.installation.dataSource.query(
    `select (extract(epoch from ended_at - transfer.created_at) * 1000)::float8 as ms
       from payout
       join payout_credit on payout_id = payout.id
       join transfer on kind = 'credit' and source_id = claim_id
      where payout.channel_id = $1`,
    [channel.id],
  );
  return rows.map(({ ms }) => ms);
}

async function rain({ api }: Place, activityId: string, wins: number, perSecond?: number): Promise<void> {
  const requests = grabs(activityId, tokensOf('user', wins));
  await askAll(api.port, requests, { outcome: WON, count: CONNECTIONS, perSecond });
}

const pause = ({ installation }: Place, id: string, isPaused: boolean): Promise<unknown> =>
  installation.dataSource.query(`update payout_channel set is_paused = $2 where id = $1`, [id, isPaused]);

async function rateOf({ dataSource }: Installation, channelId: string): Promise<number> {
  const [row] = await dataSource.query<{ rate: number }[]>(
    `select count(*) / extract(epoch from max(ended_at) - min(first_sent_at))::float8 as rate
       from payout where channel_id = $1`,
    [channelId],
  );
  return row!.rate;
}
