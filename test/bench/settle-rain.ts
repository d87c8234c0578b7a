import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { ApiClient } from '../../src/commands/local/api-client';
import { signToken } from '../../src/commands/local/sign-token';
import type { LocalSystem } from '../../src/commands/local/system';
import { percentile, type Sample } from './measure';
import { assertProof } from './settle-books';
import type { Stage } from './stage';
import { until } from './until';

const CONNECTIONS = 64;
const STEP_MS = 10;
const CREDITED_WITHIN_MS = 30_000;
const OPEN_FOR_MS = 3_600_000;
const WARM_UP_SECONDS = 2;

export interface RainPlan {
  readonly winsPerSecond: number;
  readonly seconds: number;
}

/**
 * The whole product, with its default settings, under taps that all win and come at a steady rate whatever the answers
 * take. How long a claim waits for its money is read from Postgres, by one clock.
 */
export async function steadyRain(stage: Stage, plan: RainPlan): Promise<Sample> {
  const system = await stage.system({ LOG_LEVEL: 'warn' });
  await rain(system, { ...plan, seconds: WARM_UP_SECONDS }, 'early');
  const { activityId, toldMs, seconds } = await rain(system, plan, 'user');
  const client = new Client({ connectionString: system.databaseUrl });
  await client.connect();
  try {
    await until(async () => (await unsettled(client)) === 0, 'all claims to be credited', CREDITED_WITHIN_MS);
    await assertProof(async (sql, values) => (await client.query<{ breaches: string }>(sql, values)).rows);
    const credited = await creditedAfterMs(client, activityId, toldMs.length);
    return {
      winsPerSecond: toldMs.length / seconds,
      toldP50Ms: percentile(toldMs, 0.5),
      toldP99Ms: percentile(toldMs, 0.99),
      creditedP50Ms: percentile(credited, 0.5),
      creditedP99Ms: percentile(credited, 0.99),
      creditedMostMs: percentile(credited, 1),
    };
  } finally {
    await client.end();
  }
}

async function rain(system: LocalSystem, { winsPerSecond, seconds }: RainPlan, prefix: string) {
  const taps = winsPerSecond * seconds;
  const activityId = await openActivity(system, taps);
  const tokens = Array.from({ length: taps }, (_, i) =>
    signToken({ secret: system.jwtSecret }, { sub: `${prefix}-${i}`, role: 'user' }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const url = `${system.apiUrl}/v1/activities/${activityId}/grabs`;
  const began = performance.now();
  const told = await atRate(winsPerSecond, tokens, (token) => win(agent, url, token));
  const took = (performance.now() - began) / 1000;
  agent.destroy();
  return { activityId, toldMs: told, seconds: took };
}

async function openActivity({ apiUrl, jwtSecret }: LocalSystem, packetCount: number): Promise<string> {
  const operator = new ApiClient(
    apiUrl,
    signToken({ secret: jwtSecret }, { sub: 'operator', role: 'operator' }),
  );
  const totalAmount = `${packetCount}.00`;
  await operator.post('/v1/wallets/sponsor/deposits', { amount: totalAmount });
  const nowMs = Date.now();
  const { id } = await operator.post<{ id: string }>('/v1/activities', {
    name: 'Rain',
    sponsorId: 'sponsor',
    totalAmount,
    packetCount,
    split: { kind: 'random' },
    opensAt: new Date(nowMs - OPEN_FOR_MS).toISOString(),
    closesAt: new Date(nowMs + OPEN_FOR_MS).toISOString(),
  });
  return id;
}

/** Calls `send` for every item at the rate, waiting for no answer; a late step makes up for what it missed. */
async function atRate<T, R>(perSecond: number, items: readonly T[], send: (item: T) => Promise<R>) {
  const answers: Promise<R>[] = [];
  const began = performance.now();
  while (answers.length < items.length) {
    const due = Math.min(items.length, ((performance.now() - began) / 1000) * perSecond);
    while (answers.length < due) answers.push(send(items[answers.length]!));
    await pause(STEP_MS);
  }
  return Promise.all(answers);
}

/** One tap. Returns how long its user waited, in milliseconds. */
async function win(agent: Agent, url: string, token: string): Promise<number> {
  const began = performance.now();
  const answer = await post(agent, url, token);
  if (!answer.startsWith('{"code":"0"')) throw new Error(`A tap that had to win heard ${answer}.`);
  return performance.now() - began;
}

function post(agent: Agent, url: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('end', () => resolve(body));
    });
    call.on('error', reject);
    call.end();
  });
}

async function unsettled(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>('select count(*) from unsettled_claim');
  return Number(rows[0]!.count);
}

/** From the moment a claim was confirmed to the moment its transfer was written. */
async function creditedAfterMs(client: Client, activityId: string, count: number): Promise<number[]> {
  const { rows } = await client.query<{ ms: number }>(
    `select (extract(epoch from transfer.created_at - claim.confirmed_at) * 1000)::float8 as ms
       from claim join transfer on kind = 'credit' and source_id = claim.id
      where claim.activity_id = $1`,
    [activityId],
  );
  if (rows.length !== count) throw new Error(`${rows.length} of ${count} winners were credited.`);
  return rows.map(({ ms }) => ms);
}
