import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Engine, startPostgres } from '../../src/dev/engines';
import { RedisTrust } from '../../src/core/dispenser';
import { ShardHistories } from '../../src/core/dispenser/shard-histories';
import type { GrabOutcome } from '../../src/core/grab/tap/grab-outcome';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { GrabRefusal } from '../../src/core/lifecycle/close/grab-refusal';
import { type InSnapshot, RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { Faults } from '../../src/platform/http';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import { type ActivityWish, Books } from '../harness/books';
import { waitFor } from '../harness/engines';
import { TcpProxy } from '../harness/tcp-proxy';
import { WholeRain } from '../harness/whole-rain';

const run = promisify(execFile);
const localDir = process.env.LOCAL_DIR || '.local';

let directory: string;
let engine: Engine;
let proxy: TcpProxy;
let books: Books;
let rain: WholeRain;
let trust: RedisTrust;
let faults: Faults;
let grabs: GrabService;

const portOf = ({ url }: Engine): number => Number(new URL(url).port);

/** Starts the server on a data directory, at the address that the books know. */
async function serve(name: string): Promise<void> {
  engine = await startPostgres({ localDir, dataDir: join(directory, name), durable: false });
  proxy.pointAt(portOf(engine));
}

/** Stops the server, and the connections with it. */
async function away(): Promise<void> {
  await engine.stop();
  proxy.reset();
}

/** Makes a cold copy, like a backup or a replica that lags. */
async function copyAside(): Promise<void> {
  await away();
  await run('cp', ['-a', join(directory, 'data'), join(directory, 'copy')]);
  await serve('data');
}

const reachable = () =>
  waitFor(() => books.dataSource.query('select 1'), { what: 'Postgres at its address' });

/** Checks the history of Postgres, as each process does twice a second. */
const look = () => trust.renewTrust();

/** Waits until a worker vouches that Redis has received everything, and this process knows it. */
async function trusted(): Promise<void> {
  await waitFor(
    async () => {
      await rain.sweep();
      await look();
      return trust.isTrusted;
    },
    { what: 'a Redis that is trusted' },
  );
}

/** Waits until claims are marked in Redis, which happens after the answer to their winners. */
async function marked(activityId: string, ...userIds: string[]): Promise<void> {
  const isMarked = async () => {
    const held = await rain.dispensing.held(activityId);
    return userIds.every((userId) => held.get(userId)?.confirmed);
  };
  await waitFor(isMarked, { what: `the marks of ${userIds.join(', ')}` });
}

const openRain = (wish: Partial<ActivityWish> = {}) => rain.openRain({ packets: 5, ...wish });

async function claimed(activityId: string): Promise<Map<string, number>> {
  const claims = await books.wonPackets.listOfActivity(activityId, 0, 100);
  return new Map(claims.map(({ userId, packetNo }) => [userId, packetNo]));
}

const packetNo = (outcome: GrabOutcome): number | undefined =>
  'packet' in outcome ? outcome.packet.no : undefined;

async function agreement() {
  const inSnapshot: InSnapshot = (work) => books.dataSource.transaction('REPEATABLE READ', work);
  return new RedisAgreement(books.dataSource, rain.dispensing.contents, rain.dispensing.standings).check(
    inSnapshot,
  );
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hongbao-history-'));
  proxy = await TcpProxy.start(1);
  await serve('data');
  const url = `postgres://hongbao@127.0.0.1:${proxy.port}/postgres`;
  await runMigrations(url, schema);
  books = await Books.of(url);
  rain = await WholeRain.over(books);
  rain.dispensing.own.identify('this installation');
  const api = await rain.openApi();
  faults = api.get(Faults);
  trust = api.get(RedisTrust);
  await trust.onModuleInit();
  grabs = api.get(GrabService);
});

afterEach(async () => {
  await rain.stop();
  await books.close();
  await proxy.stop();
  await engine.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('a Postgres that comes back as an older copy of itself', () => {
  it('is noticed: no win that it lacks is answered, every winner whom it knows keeps their packet, and Redis agrees again', async () => {
    const activityId = await openRain();
    await trusted();
    const ann = await grabs.grab(activityId, 'ann');
    await marked(activityId, 'ann');
    await copyAside();
    await reachable();
    const [bob, cem] = [await grabs.grab(activityId, 'bob'), await grabs.grab(activityId, 'cem')];
    expect([ann.kind, bob.kind, cem.kind]).toEqual(['won', 'won', 'won']);
    await marked(activityId, 'bob', 'cem');
    await look();

    await away();
    await serve('copy');
    await reachable();
    expect([...(await claimed(activityId)).keys()]).toEqual(['ann']);
    await look();
    expect(trust.isTrusted).toBe(false);
    expect(faults.standing.get('postgres')).toBe('has another history; Redis is being corrected');

    // New writes soon go beyond those that were lost.
    await books.dataSource.query('select pg_switch_wal()');
    await look();
    expect(trust.isTrusted).toBe(false);
    const again = await grabs.grab(activityId, 'bob');
    expect(again).toMatchObject({ kind: 'already' });
    expect((await claimed(activityId)).get('bob')).toBe(packetNo(again));
    expect(packetNo(again)).toBe(packetNo(bob));

    await trusted();
    expect(faults.standing.size).toBe(0);
    expect(await claimed(activityId)).toEqual(
      new Map([
        ['ann', packetNo(ann)],
        ['bob', packetNo(bob)],
        ['cem', packetNo(cem)],
      ]),
    );
    expect(await books.broken()).toEqual([]);
    expect((await agreement()).breaches).toBe(0);
  });

  it('does not pay a win that only Redis remembers, in a rain with tickets, before staff have decided', async () => {
    const activityId = await openRain({ admission: 'ticket' });
    await trusted();
    await copyAside();
    await reachable();
    await grabs.grab(activityId, 'ann', { hold: true, mayLimit: false });
    await marked(activityId, 'ann');
    await look();

    await away();
    await serve('copy');
    await trusted();
    const claims = await books.wonPackets.listOfActivity(activityId, 0, 100);
    expect(claims).toMatchObject([{ userId: 'ann', settlement: 'held' }]);
  });

  it('does not end a rain before the winners in Redis are confirmed again, and removes from Redis those that cannot be', async () => {
    const [running, ended] = [await openRain(), await openRain()];
    await trusted();
    await copyAside();
    await reachable();
    await grabs.grab(running, 'ann');
    await grabs.grab(ended, 'bob');
    await marked(running, 'ann');
    await marked(ended, 'bob');
    await look();

    await away();
    await serve('copy');
    await reachable();
    await books.dataSource.query(`update activity set status = 'closed', closed_at = now() where id = $1`, [
      ended,
    ]);
    await look();
    await expect(rain.end(running)).rejects.toMatchObject({ status: 503 });

    await trusted();
    expect((await claimed(running)).has('ann')).toBe(true);
    expect(await grabs.grab(ended, 'bob')).toEqual({ kind: 'closed' });
    expect(await rain.dispensing.held(ended)).toEqual(new Map());
    expect(await rain.end(running)).toBe(true);
  });

  it('does not end a rain before any process has noticed, or if it came back in the middle of a close', async () => {
    const [due, begun] = [await openRain(), await openRain()];
    await trusted();
    await copyAside();
    await reachable();
    for (const id of [due, begun]) {
      await grabs.grab(id, 'ann');
      await marked(id, 'ann');
    }
    await look();
    const ending = await rain.closing.refuseGrabs((await books.activities.findActivity(begun))!, 'any-time');
    expect(ending).toBe('closed');

    await away();
    await serve('copy');
    await reachable();
    await expect(rain.end(due)).rejects.toMatchObject({ status: 503 });
    const refund = books.dataSource.transaction((tx) => rain.closing.refund(tx, begun, 'closed'));
    await expect(refund).rejects.toMatchObject({ status: 503 });
    const refusal = rain.worker.get(GrabRefusal);
    const activities = await books.activities.list({ ids: [due, begun] }, undefined, 2);
    await expect(refusal.refuseTogether(activities)).rejects.toMatchObject({ status: 503 });
    jest.spyOn(refusal, 'refuseTogether').mockResolvedValueOnce(new Map([[begun, 'closed']]));
    await expect(rain.closing.refundTogether(activities)).rejects.toMatchObject({ status: 503 });

    await trusted();
    for (const id of [due, begun]) {
      expect(await rain.end(id)).toBe(true);
      expect([...(await claimed(id)).keys()]).toEqual(['ann']);
    }
    expect(await books.broken()).toEqual([]);
  });

  it('answers "not found" for a rain that it has lost, and a new rain with the same id starts from scratch', async () => {
    await trusted();
    await copyAside();
    await reachable();
    const lost = await openRain();
    await trusted();
    await grabs.grab(lost, 'ann');
    await grabs.grab(lost, 'bob');
    await marked(lost, 'ann', 'bob');
    await look();

    await away();
    await serve('copy');
    await reachable();
    await look();
    for (const userId of ['ann', 'cem'])
      await expect(grabs.grab(lost, userId)).rejects.toMatchObject({ status: 404 });

    const reused = await books.activity({ packets: 3 });
    expect(reused).toBe(lost);
    await rain.loader.load(reused);
    expect(await rain.dispensing.readStanding(reused)).toMatchObject({ packetsLeft: 3, held: 0 });
    await trusted();
    expect(await grabs.grab(reused, 'ann')).toMatchObject({ kind: 'won' });
    expect((await agreement()).breaches).toBe(0);
  });

  it('answers "not found" for a rain that it has lost once Redis is corrected, and Redis keeps nothing of that rain', async () => {
    await trusted();
    await copyAside();
    await reachable();
    const lost = await openRain();
    await trusted();
    await look();
    await away();
    await serve('copy');
    await reachable();
    await trusted();
    await expect(grabs.grab(lost, 'ann')).rejects.toMatchObject({ status: 404 });
    expect(await rain.dispensing.redis.keys(`rp:*:${lost}:*`)).toEqual([]);
  });
});

describe('a Postgres that continues on another timeline', () => {
  it('is noticed even if it is ahead of what Redis has noted, and Redis is reloaded completely', async () => {
    const activityId = await openRain();
    await trusted();
    await grabs.grab(activityId, 'ann');
    await marked(activityId, 'ann');
    await away();
    writeFileSync(join(directory, 'data', 'standby.signal'), '');
    await serve('data');
    await reachable();
    await look();
    expect(trust.isSameHistory).toBe(true);

    await books.dataSource.query('select pg_promote()');
    await look();
    expect(trust.isSameHistory).toBe(false);
    expect(faults.standing.get('postgres')).toBe('has another history; Redis is being corrected');
    await trusted();
    expect(await grabs.grab(activityId, 'ann')).toMatchObject({ kind: 'already' });
  });

  it('does not trust a shard that received everything under the earlier history', async () => {
    await openRain();
    await trusted();
    const histories = rain.worker.get(ShardHistories);
    const told = await histories.judgeShards();
    await away();
    writeFileSync(join(directory, 'data', 'standby.signal'), '');
    await serve('data');
    await reachable();
    await books.dataSource.query('select pg_promote()');
    expect(await histories.vouch(told)).toEqual([]);
    await look();
    expect([trust.isSameHistory, trust.isTrusted]).toEqual([false, false]);
    await trusted();
  });
});
