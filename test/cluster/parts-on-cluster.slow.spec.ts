import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Problem } from '../../libs/problem';
import type { RedisClient } from '../../libs/redis-scripts';
import { RedisTrust } from '../../src/core/dispenser';
import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import type { GrabOutcome } from '../../src/core/grab/tap/grab-outcome';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { type Books, openBooks } from '../harness/books';
import { Dispensing } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { RedisCluster } from '../harness/redis-cluster';
import { WholeRain } from '../harness/whole-rain';
import { connectionsOf, SHARDS } from './support';

/** `PARTS_PACKETS=100000` plays a large rain, which takes some minutes. */
const PACKETS = Number(process.env.PARTS_PACKETS || 3_000);
const PARTS = 8;
const USERS = 3 * PACKETS;
const TAPS_IN_FLIGHT = 256;
const STEP_EVERY_MS = 100;
const RETRY_AFTER_MS = 50;
const CLAIMS_PER_PAGE = 10_000;

jest.setTimeout(300_000 + 10 * PACKETS);

let cluster: RedisCluster;
let redis: RedisClient;
let books: Books;
let closeBooks: () => Promise<void>;
let dispensing: Dispensing;
let rain: WholeRain;
let apis: Graph[];
let working: Promise<void>;
let stopping = false;

beforeAll(async () => {
  Logger.overrideLogger(false);
  [cluster, { books, close: closeBooks }] = await Promise.all([RedisCluster.start(), openBooks()]);
  redis = await connectionsOf(cluster.env).serving();
  dispensing = Dispensing.over(redis, SHARDS);
  dispensing.own.identify('this installation');
  rain = await WholeRain.of(books, dispensing);
  apis = [await rain.openApi(), await rain.openApi()];
  for (const api of apis) await api.get(RedisTrust).onModuleInit();
  working = work();
  await waitFor(() => trusts().every(({ isTrusted }) => isTrusted), { what: 'shards that are trusted' });
});

afterAll(async () => {
  stopping = true;
  await working;
  await rain.stop();
  redis.disconnect();
  await closeBooks();
  await cluster.stop();
});

const trusts = (): RedisTrust[] => apis.map((api) => api.get(RedisTrust));

/** Does the work of the timers in the programs. */
async function work(): Promise<void> {
  const tasks = [
    () => rain.reminder.step(),
    () => rain.journal.sweep(STEP_EVERY_MS),
    () => rain.sweeper.mendAll(),
    ...trusts().map((trust) => () => trust.renewTrust()),
  ];
  while (!stopping) {
    for (const task of tasks) await task().catch(() => undefined);
    await pause(STEP_EVERY_MS);
  }
}

/** Grabs like a client: again after each 503 and each "reserved". */
async function insist(api: number, id: string, userId: string): Promise<GrabOutcome> {
  for (;;) {
    const answer = await apis[api]!.get(GrabService)
      .grab(id, userId)
      .catch((error: unknown) => {
        if (!(error instanceof Problem) || error.status !== 503) throw error;
      });
    if (answer && answer.kind !== 'reserved') return answer;
    await pause(RETRY_AFTER_MS);
  }
}

/** Users who all tap, every tenth through both processes at the same moment, and their answers. */
class Crowd {
  readonly packets = new Map<string, number>();
  readonly lies: string[] = [];
  /** Users who won even though another user had been answered "sold-out" before they began to tap. */
  late = 0;
  private soldOutAtMs = Infinity;
  private next = 0;

  constructor(
    private readonly id: string,
    private readonly when: ReadonlyMap<number, () => Promise<void>>,
  ) {}

  async rush(): Promise<void> {
    const client = async () => {
      while (this.next < USERS) await this.tap(this.next++);
    };
    await Promise.all(Array.from({ length: TAPS_IN_FLIGHT }, client));
  }

  private async tap(i: number): Promise<void> {
    await this.when.get(i)?.();
    const begunAtMs = performance.now();
    const user = `user-${i}`;
    const through = i % 10 === 0 ? [0, 1] : [i % 2];
    const answers = await Promise.all(through.map((api) => insist(api, this.id, user)));
    for (const answer of answers) this.hear(user, answer, begunAtMs);
  }

  private hear(user: string, answer: GrabOutcome, begunAtMs: number): void {
    if ('packet' in answer) {
      const before = this.packets.get(user) ?? answer.packet.no;
      if (before !== answer.packet.no) this.lies.push(`${user}: ${before} and ${answer.packet.no}`);
      this.packets.set(user, answer.packet.no);
      if (begunAtMs > this.soldOutAtMs) this.late += 1;
    } else {
      this.soldOutAtMs = Math.min(this.soldOutAtMs, performance.now());
      if (this.packets.has(user)) this.lies.push(`${user}: ${answer.kind}`);
    }
  }
}

/** Number of packets that Postgres refused because another user had them already. */
async function takenOf(verdicts: readonly Promise<ConfirmVerdict[]>[]): Promise<number> {
  const all = (await Promise.all(verdicts)).flat();
  return all.filter(({ kind }) => kind === 'taken').length;
}

async function settleAll(): Promise<void> {
  for (;;) {
    const rows = await books.dataSource.query<{ claim_id: string }[]>(
      `select claim_id from unsettled_claim limit ${CLAIMS_PER_PAGE}`,
    );
    if (rows.length === 0) return;
    for (let i = 0; i < rows.length; i += 500)
      await books.settlement.settle(rows.slice(i, i + 500).map((row) => row.claim_id));
  }
}

async function confirmed(): Promise<void> {
  for (const api of apis) await api.get(ConfirmService).beforeApplicationShutdown();
  await rain.confirmations.beforeApplicationShutdown();
}

describe('a rain over parts on a cluster of three masters', () => {
  it('gives every packet to one user and pays it, even if a master dies during the rain and a stale replica is promoted', async () => {
    const id = await books.activity({ packets: PACKETS, parts: PARTS });
    await rain.loader.load(id);
    const { state } = dispensing.keys.activity(id);
    const lost = await cluster.masterOf(state);
    const stale = await cluster.replicaOf(lost);
    await waitFor(() => cluster.isInStep(lost), { what: 'a replica in step' });
    const confirms = apis.map((api) => jest.spyOn(api.get(ClaimRepository), 'confirm'));
    const crowd = new Crowd(
      id,
      new Map([
        [Math.round(PACKETS * 0.4), () => cluster.cutOff(stale, lost)],
        [Math.round(PACKETS * 0.8), () => lost.kill()],
      ]),
    );
    await crowd.rush();
    expect(await cluster.masterOf(state)).toBe(stale);
    await confirmed();

    expect(crowd.lies).toEqual([]);
    expect(crowd.packets.size).toBe(PACKETS);
    const claims = await books.dataSource.query<{ user_id: string; packet_no: number }[]>(
      `select user_id, packet_no from claim where activity_id = $1`,
      [id],
    );
    expect(new Map(claims.map((claim) => [claim.user_id, claim.packet_no]))).toEqual(crowd.packets);
    expect(new Set(crowd.packets.values()).size).toBe(PACKETS);
    const verdicts = confirms.flatMap(({ mock }) =>
      mock.results.map(({ value }) => value as Promise<ConfirmVerdict[]>),
    );
    expect(await takenOf(verdicts)).toBeGreaterThan(0);
    expect(crowd.late).toBe(0);

    await settleAll();
    const [paid] = await books.dataSource.query<{ count: string }[]>(
      `select count(*) from transfer where kind = 'credit' and activity_id = $1`,
      [id],
    );
    expect(Number(paid!.count)).toBe(PACKETS);
    await waitFor(() => trusts().every(({ isTrusted }) => isTrusted), { what: 'shards that are trusted' });
    const isClean = async () => {
      const findings = await apis[0]!.get(VerificationService).verify();
      expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
      return true;
    };
    await waitFor(isClean, { what: 'books and Redis that agree' });
    for (const user of ['user-0', `user-${USERS - 1}`]) {
      const no = crowd.packets.get(user);
      const answer = await insist(0, id, user);
      expect(answer).toMatchObject(no === undefined ? { kind: 'sold-out' } : { packet: { no } });
    }
    expect(await rain.end(id)).toBe(true);
    expect(await books.broken()).toEqual([]);
  });
});
