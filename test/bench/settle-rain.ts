import {
  checkBooks,
  everythingSettled,
  type Installation,
  install,
  openActivity,
  operatorOf,
  tokensOf,
} from './api';
import { askAll } from './load';
import { percentile, type Sample } from './measure';
import type { Server } from './product';
import { grabs, WON } from './rains';
import type { Stage } from './stage';

const CONNECTIONS = 64;

export interface RainPlan {
  readonly winsPerSecond: number;
  readonly seconds: number;
}

/** All taps win, at a steady rate. Postgres measures how long a claim waits for its money. */
export async function steadyRain(stage: Stage, plan: RainPlan): Promise<Sample> {
  const installation = await install(stage);
  const api = await installation.api();
  await installation.worker();
  await rain(api, { ...plan, seconds: stage.pick(2, 2, 0.1) }, 'early');
  const { activityId, taps, seconds } = await rain(api, plan, 'user');
  await everythingSettled(installation);
  await checkBooks(installation);
  const credited = await creditedAfterMs(installation, activityId, taps);
  return {
    winsPerSecond: taps / seconds,
    creditedP50Ms: percentile(credited, 0.5),
    creditedP99Ms: percentile(credited, 0.99),
    creditedMostMs: percentile(credited, 1),
  };
}

async function rain(api: Server, { winsPerSecond, seconds }: RainPlan, prefix: string) {
  const taps = winsPerSecond * seconds;
  const activityId = await openActivity(operatorOf(api), taps);
  const requests = grabs(activityId, tokensOf(prefix, taps));
  const { seconds: took } = await askAll(api.port, requests, {
    outcome: WON,
    count: CONNECTIONS,
    perSecond: winsPerSecond,
  });
  return { activityId, taps, seconds: took };
}

async function creditedAfterMs(
  { dataSource }: Installation,
  activityId: string,
  count: number,
): Promise<number[]> {
  const rows: { ms: number }[] = await dataSource.query(
    `select (extract(epoch from transfer.created_at - claim.confirmed_at) * 1000)::float8 as ms
       from claim join transfer on kind = 'credit' and source_id = claim.id
      where claim.activity_id = $1`,
    [activityId],
  );
  if (rows.length !== count) throw new Error(`${rows.length} of ${count} winners were credited.`);
  return rows.map(({ ms }) => ms);
}
