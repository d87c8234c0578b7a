import type { ApiClient } from '../../libs/client';
import {
  checkBooks,
  everythingSettled,
  install,
  NO_RATE_LIMITS,
  openActivity,
  operatorOf,
  tokensOf,
} from './api';
import { atLeast, type Bench, type BenchResult } from './bench';
import { askAll, expectOutcomes, latenciesOf, post, storm } from './load';
import { median, medianRatio, number, percentile, type Sample, spread } from './measure';
import type { Server } from './product';
import { grabs, WON } from './rains';
import type { Stage } from './stage';

const CONNECTIONS = 64;

/** Each user takes out the least amount, three times. */
const AMOUNT = '0.01';

const GRANTED = '201';

export const withdraw: Bench = {
  name: 'withdraw',
  question: 'How fast does a crowd take out what it has won, all at once?',
  run: measureWithdrawals,
};

interface Crowd {
  readonly wins: number;
  /** Users who arrive at the same moment, each with their own connection. */
  readonly atOnce: number;
  /** Users who arrive one by one. */
  readonly inTurn: number;
}

async function measureWithdrawals(stage: Stage): Promise<BenchResult> {
  const installation = await install(stage);
  const api = await installation.api(NO_RATE_LIMITS);
  await installation.worker();
  const operator = operatorOf(api);
  const crowd: Crowd = {
    wins: stage.pick(8_000, 2_000, 40),
    atOnce: stage.pick(1_000, 1_000, 20),
    inTurn: stage.pick(200, 100, 5),
  };
  const settled = () => everythingSettled(installation);
  const run = () => withdrawAll(api, operator, crowd, settled);
  const { crowd: figures } = await stage.interleave([{ name: 'crowd', run }], stage.pick(3, 1, 0));
  await checkBooks(installation);
  const { winsPerSecond, perSecond, atOnceMs, inTurnMs } = figures!;
  const share = medianRatio(perSecond!, winsPerSecond!);
  return {
    tables: [
      {
        title: `Withdrawals through one channel, ${CONNECTIONS} connections and ${number(crowd.atOnce)} users at once`,
        heading: ['withdrawals/s', 'wins/s', 'p99 at once', 'p99 one at a time'],
        rows: [
          [
            ...[spread(perSecond!), spread(winsPerSecond!)],
            ...[`${number(median(atOnceMs!))} ms`, `${number(median(inTurnMs!))} ms`],
          ],
        ],
        remark: 'Each of the users who come at once opens a connection; none is refused.',
      },
    ],
    targets: [atLeast('withdrawals a second ÷ confirmed wins a second', 0.25, '', share)],
  };
}

async function withdrawAll(
  api: Server,
  operator: ApiClient,
  { wins, atOnce, inTurn }: Crowd,
  settled: () => Promise<void>,
): Promise<Sample> {
  const tokens = tokensOf('user', wins);
  const activityId = await openActivity(operator, wins, { split: { kind: 'equal' } });
  const won = await askAll(api.port, grabs(activityId, tokens), { outcome: WON, count: CONNECTIONS });
  await settled();
  const { id } = await operator.createPayoutChannel({ name: 'Bench', profile: { smallest: AMOUNT } });
  const asks = (time: string, count: number) =>
    tokens.slice(0, count).map((token, i) => {
      const key = `${time}-${activityId}-${i}`;
      return post('/v1/me/payouts', token, { amount: AMOUNT, channelId: id }, key);
    });
  const taken = await askAll(api.port, asks('steadily', wins), { outcome: GRANTED, count: CONNECTIONS });
  const stormed = await storm(api.port, asks('at-once', atOnce));
  expectOutcomes(stormed, { [GRANTED]: atOnce });
  const alone = await askAll(api.port, asks('in-turn', inTurn), { outcome: GRANTED, count: 1 });
  return {
    winsPerSecond: wins / won.seconds,
    perSecond: wins / taken.seconds,
    atOnceMs: percentile(latenciesOf(stormed), 0.99),
    inTurnMs: percentile(latenciesOf(alone.heard), 0.99),
  };
}
