import { waitFor } from '../harness/engines';
import type { Answer, Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

const LARGE = 10_001;
/** More than a process has connections. */
const READS_MANY = 30;
const SPONSORS = ['hog-1', 'hog-2', 'hog-3'];
const BUSY = { status: 503, body: { code: 'busy' } };

/** Each heavy request holds a connection. Many of them must not take all connections. */
describe('heavy requests', () => {
  let operator: Caller;

  beforeAll(async () => {
    operator = rain.operator();
    for (const sponsor of SPONSORS) {
      await operator.post(`/v1/wallets/${sponsor}/deposits`, { amount: '1000.00' });
    }
    await rain.pauseWorker();
  });
  afterAll(() => rain.resumeWorker());

  const create = (sponsorId: string, packetCount: number, key?: string): Promise<Answer> =>
    operator.post('/v1/activities', planOf({ sponsorId, totalAmount: '150.00', packetCount }), { key });

  const waiting = (count: number) =>
    waitFor(async () => (await rain.waitingForLocks()) === count, {
      what: `${count} sessions that wait for a lock`,
    });

  it('that create large activities of one sponsor run one at a time, and do not delay small ones', async () => {
    const key = 'large-of-ann';
    await rain.whileLocked(`select pg_advisory_xact_lock(hashtextextended('create:hog-1', 0))`, async () => {
      const refused = await create('hog-1', LARGE, key);
      expect(refused).toMatchObject({ status: 409, body: { code: 'activity.creation_under_way' } });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await create('hog-1', 10)).status).toBe(201);
      expect((await create('hog-2', LARGE)).status).toBe(201);
    });
    const created = await create('hog-1', LARGE, key);
    expect([created.status, created.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it('that create large activities of many sponsors run few at a time, and leave connections for other requests', async () => {
    const open = await rain.createActivity();
    const key = 'large-of-cem';
    let underWay: Promise<Answer>[] = [];
    const wallets = `select from account where owner_id in ('hog-1', 'hog-2') for update`;
    await rain.whileLocked(wallets, async () => {
      underWay = [create('hog-1', LARGE), create('hog-2', LARGE)];
      await waiting(2);
      const refused = await create('hog-3', LARGE, key);
      expect(refused).toMatchObject(BUSY);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await create('hog-3', 10)).status).toBe(201);
      await rain.win(open, 'u1');
    });
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await create('hog-3', LARGE, key)).status).toBe(201);
  });

  it('that use all the connections they may use leave others, on which a tap is confirmed', async () => {
    const open = await rain.createActivity();
    let answered = 0;
    let reads: Promise<unknown>[] = [];
    await rain.whileLocked('lock table account in access exclusive mode', async () => {
      reads = Array.from({ length: READS_MANY }, (_, i) =>
        rain
          .user(`reader-${i}`)
          .get('/v1/me/wallet')
          .finally(() => answered++),
      );
      await waitFor(async () => (await rain.waitingForLocks()) >= 6, { what: 'reads that hold connections' });
      const tap = await rain.tap(open, 'u2');
      expect([tap.status, tap.body.code, answered]).toEqual([200, '0', 0]);
    });
    await Promise.all(reads);
  });

  it('of one user run one at a time, and those of all users together leave slots for staff', async () => {
    const users = ['top-1', 'top-2', 'top-3', 'top-4'];
    const rains: string[] = [];
    for (const sponsorId of users) {
      await operator.post(`/v1/wallets/${sponsorId}/deposits`, { amount: '10.00' });
      rains.push(await rain.createActivity({ sponsorId }));
    }
    const topUp = (caller: Caller, i: number): Promise<Answer> =>
      caller.post(`/v1/activities/${rains[i]}/top-ups`, { amount: '1.00', packetCount: 1 });
    const asUser = (i: number) => topUp(rain.user(users[i]!), i);
    const underWay: Promise<Answer>[] = [];
    await rain.whileLocked(`select from account where owner_id like 'top-%' for update`, async () => {
      underWay.push(asUser(0));
      await waiting(1);
      expect(await asUser(0)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(await rain.user('top-1').post(`/v1/activities/${rains[0]}/close`)).toMatchObject({
        status: 429,
      });
      underWay.push(asUser(1));
      await waiting(2);
      expect(await asUser(2)).toMatchObject(BUSY);
      underWay.push(topUp(operator, 2), topUp(operator, 3));
      await waiting(4);
    });
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await asUser(0)).status).toBe(201);
  });

  it('that close an ended activity again leave no row, however often they are sent', async () => {
    await operator.post('/v1/wallets/again/deposits', { amount: '10.00' });
    const id = await rain.createActivity({ sponsorId: 'again' });
    const close = () => rain.user('again').post(`/v1/activities/${id}/close`);
    for (const answer of [await close(), await close()])
      expect(answer).toMatchObject({ status: 200, body: { id, phase: 'settled' } });
    const kept = await rain.sql(`select from idempotency_key where principal = 'again'`);
    expect(kept).toHaveLength(1);
  });

  it('that read lists of one user run one at a time, and at most eight are in progress', async () => {
    const lists = 12;
    const id = await rain.createActivity({ totalAmount: '10.00', packetCount: 10 });
    const seen: number[] = [];
    const list = async () => {
      const { status } = await rain.user('lister').get(`/v1/activities/${id}/fairness`);
      seen.push(status);
    };
    let underWay: Promise<void>[] = [];
    await rain.whileLocked('lock table packet_batch in access exclusive mode', async () => {
      underWay = Array.from({ length: lists }, list);
      await waitFor(() => seen.length === 4, { what: 'lists that are refused' });
      expect(seen).toEqual([429, 429, 429, 429]);
      await waiting(1);
      expect((await rain.user('another').get('/v1/me/wallet')).status).toBe(200);
    });
    await Promise.all(underWay);
    expect(seen.filter((status) => status === 200)).toHaveLength(8);
  });

  it('for the proof of a large activity run few at a time, and are refused to other users', async () => {
    const id = await rain.createActivity({ totalAmount: '150.00', packetCount: LARGE });
    const path = `/v1/activities/${id}/reconciliation`;
    let underWay: Promise<Answer>[] = [];
    await rain.whileLocked('lock table packet in access exclusive mode', async () => {
      underWay = [operator.get(path), operator.get(path)];
      await waiting(2);
      expect(await operator.get(path)).toMatchObject(BUSY);
      expect((await rain.user('stranger').get(path)).status).toBe(404);
    });
    for (const proof of await Promise.all(underWay)) expect(proof.body.verdict).toBe('balanced');
    expect((await operator.get(path)).body.verdict).toBe('balanced');
  });
});
