import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Engine, startPostgres } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { runMigrations } from '../../src/platform/postgres/migrate';
import { schema } from '../../src/schema';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { promote, startStandby, waitForStandby } from '../harness/standby';
import { TcpProxy } from '../harness/tcp-proxy';

const PACKETS = 400;
const CLIENTS = 16;

/** Number of answers before the primary is killed, so that it dies under load. */
const BEFORE = 100;

interface Told {
  readonly user: string;
  readonly redPacketId: string;
}

describe('a Postgres that dies under load, and whose synchronous standby takes over,', () => {
  let directory: string;
  let primary: Engine;
  let standby: Engine;
  /** The address that the programs know, which leads to the current primary. */
  let address: TcpProxy;
  let rain: Installation;
  let activityId: string;
  const told: Told[] = [];

  const portOf = ({ url }: Engine): number => Number(new URL(url).port);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hongbao-standby-'));
    const localDir = process.env.LOCAL_DIR || '.local';
    primary = await startPostgres({ localDir, dataDir: join(directory, 'primary'), durable: false });
    const appUrl = await asAppRole(primary.url);
    await runMigrations(primary.url, schema);
    standby = await startStandby(primary, join(directory, 'standby'));
    await waitForStandby(primary);
    const { proxy, url } = await TcpProxy.before(appUrl);
    address = proxy;
    rain = await Installation.startWithWorker({ DATABASE_URL: url });
    activityId = await rain.createActivity({ totalAmount: '400.00', packetCount: PACKETS });
    await rainThroughFailover();
  });

  afterAll(async () => {
    await rain.stop();
    await address.stop();
    await Promise.all([primary.stop(), standby.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  const tap = (user: string): Promise<Answer | undefined> =>
    rain.tap(activityId, user).catch(() => undefined);

  async function packetOf(user: string): Promise<string> {
    const isConfirmed = (answer?: Answer) => ['0', '1'].includes(answer?.body.code as string);
    const answer = await waitFor(async () => [await tap(user)].find(isConfirmed), { what: user });
    return answer!.body.redPacketId as string;
  }

  async function rainThroughFailover(): Promise<void> {
    const users = Array.from({ length: PACKETS }, (_, i) => `u${i}`);
    const waiting = [...users];
    const client = async () => {
      for (let user = waiting.pop(); user !== undefined; user = waiting.pop()) {
        const body = (await tap(user))?.body;
        if (body?.code === '0') told.push({ user, redPacketId: body.redPacketId });
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    await waitFor(() => told.length >= BEFORE, { what: `${BEFORE} winners` });
    process.kill(primary.pid, 'SIGKILL');
    await primary.ended;
    // Redis would reconfirm wins that it still holds, but only wins that Postgres has kept count here.
    await rain.redis.flushall();
    await promote(standby);
    address.pointAt(portOf(standby));
    address.reset();
    await clients;
  }

  it('keeps every win that was answered, and has a packet for every other user', async () => {
    const users = Array.from({ length: PACKETS }, (_, i) => `u${i}`);
    const packets = new Map(
      await Promise.all(users.map(async (user) => [user, await packetOf(user)] as const)),
    );
    expect(new Set(packets.values()).size).toBe(PACKETS);
    expect(told.length).toBeGreaterThanOrEqual(BEFORE);
    for (const { user, redPacketId } of told) expect(packets.get(user)).toBe(redPacketId);
  });

  it('continues as before: every winner is paid, and the books agree', async () => {
    await rain.settled(activityId);
    expect(await rain.proof(activityId)).toMatchObject({ verdict: 'balanced', credited: '400.00' });
    expect(await rain.verify()).not.toContain('BROKEN');
  });

  it('is noticed as a Postgres with another history', async () => {
    const client = new Client({ connectionString: standby.url });
    await client.connect();
    const { rows } = await client.query(`select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`);
    await client.end();
    expect(rows).toEqual([{ timeline: '00000002' }]);
    const changed = () => rain.metric('hongbao_postgres_history_changed', rain.workerUrl);
    await waitFor(async () => (await changed()) === 0, { what: 'a Redis that is right again' });
  });
});
