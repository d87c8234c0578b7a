import { checkPublicFiles } from '../../src/dev/split/public-files';
import { call } from '../harness/client';
import { GatewayClient } from '../harness/gateway-client';
import { rain } from '../harness/shared-installation';

const HOUR_MS = 3_600_000;
const STAGGER_MS = 5_000;

describe('an activity with a plan', () => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();

  const inTwoWaves = async () => {
    const later = at(HOUR_MS / 2);
    const waves = [
      { at: at(0), count: 2 },
      { at: later, count: 8 },
    ];
    const pace = { kind: 'waves', waves };
    return { id: await rain.createActivity({ opensInMs: -60_000, pace }), laterMs: Date.parse(later), pace };
  };

  const tap = (id: string, user: string, path = 'grabs') =>
    call(rain.url, rain.tokenOf(user), 'POST', `/v1/activities/${id}/${path}`);

  const byGateway = async (id: string, user: string) => {
    const client = await GatewayClient.connect(rain.url, rain.tokenOf(user));
    return client.ask({ op: 'grab', activityId: id }).finally(() => client.close());
  };

  it('answers "not-yet" with an instant for this user after the next release, identically on all paths, and winners as always', async () => {
    const { id, laterMs } = await inTwoWaves();
    expect((await tap(id, 'pace-ann')).body).toMatchObject({ code: '0' });
    expect((await tap(id, 'pace-bob')).body).toMatchObject({ code: '0' });
    const { status, body } = await tap(id, 'pace-cid');
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: '-1', reason: 'not-yet', nextAt: expect.any(String) },
    });
    const waitMs = Date.parse(body.nextAt) - laterMs;
    expect(waitMs).toBeGreaterThanOrEqual(0);
    expect(waitMs).toBeLessThan(STAGGER_MS);
    expect((await tap(id, 'pace-cid', 'grabs?')).body).toEqual(body);
    expect((await byGateway(id, 'pace-cid')).body).toEqual(body);
    expect((await tap(id, 'pace-ann')).body).toMatchObject({ code: '1' });
    expect((await tap(id, 'pace-dan')).body).toMatchObject({ reason: 'not-yet' });
    expect((await tap(id, 'pace-cid', 'waitlist')).body).toMatchObject({
      code: 'waitlist.nothing_to_wait_for',
    });
  });

  it('has its plan in its view, and in the terms that its packets are committed to', async () => {
    const { id, pace } = await inTwoWaves();
    expect((await rain.user('nosy').get(`/v1/activities/${id}`)).body).toMatchObject({ phase: 'open', pace });
    const read = async () => (await rain.user('nosy').get(`/v1/activities/${id}/fairness`)).body;
    expect((await read()).batches[0].terms.pace).toEqual({
      kind: 'waves',
      waves: pace.waves.map(({ at, count }) => ({ at, count: String(count) })),
    });
    await rain.closeActivity(id);
    expect(await checkPublicFiles([JSON.stringify(await read())])).toEqual([
      expect.stringContaining('all 10 packets are as committed'),
    ]);
  });

  it('has a plan of its own for the packets of a top-up', async () => {
    const { id } = await inTwoWaves();
    const topUp = (pace: object, packetCount = 3) =>
      rain.operator().post(`/v1/activities/${id}/top-ups`, { amount: '3.00', packetCount, pace });
    const waves = [
      { at: at(0), count: 1 },
      { at: at(HOUR_MS / 2), count: 2 },
    ];
    expect(await topUp({ kind: 'waves', waves })).toMatchObject({ status: 201, body: { pace: { waves } } });
    const kinds = [];
    for (const user of ['ann', 'bob', 'cid', 'dan'])
      kinds.push((await tap(id, `added-${user}`)).body.reason ?? 'won');
    expect(kinds).toEqual(['won', 'won', 'won', 'not-yet']);
    const until = at(HOUR_MS / 2);
    expect(await topUp({ kind: 'even', until })).toMatchObject({ body: { pace: { kind: 'even', until } } });
    const { batches } = (await rain.user('nosy').get(`/v1/activities/${id}/fairness`)).body;
    expect(batches.map(({ terms }: { terms: { pace: object } }) => terms.pace)).toMatchObject([
      ...[{ kind: 'waves' }, { kind: 'waves' }, { kind: 'even', until }],
    ]);
    const fieldOf = async (pace: object, packetCount?: number) =>
      (await topUp(pace, packetCount)).body.errors[0].field;
    expect(await fieldOf({ kind: 'even', until: at(-1) })).toBe('pace.until');
    expect(await fieldOf({ kind: 'waves', waves: [{ at: at(-2 * HOUR_MS), count: 3 }] })).toBe(
      'pace.waves[0].at',
    );
    const hundred = Array.from({ length: 100 }, (_, i) => ({ at: at(HOUR_MS / 4 + i), count: 1 }));
    expect(await fieldOf({ kind: 'waves', waves: hundred }, 100)).toBe('pace.waves');
    for (let plans = 3; plans < 8; plans++) expect((await topUp({ kind: 'even' })).status).toBe(201);
    expect(await fieldOf({ kind: 'even' })).toBe('pace');
    await rain.closeActivity(id);
    const published = (await rain.user('nosy').get(`/v1/activities/${id}/fairness`)).body;
    expect(await checkPublicFiles([JSON.stringify(published)])).toHaveLength(8);
  });

  it('that is even lasts until the close unless specified otherwise', async () => {
    const closesAt = at(2 * HOUR_MS);
    const view = async (pace: object) => {
      const id = await rain.createActivity({ closesAt, pace });
      return (await rain.user('nosy').get(`/v1/activities/${id}`)).body;
    };
    expect(await view({ kind: 'even' })).toMatchObject({ pace: { kind: 'even', until: closesAt } });
    const until = at(HOUR_MS);
    expect(await view({ kind: 'even', until })).toMatchObject({ pace: { kind: 'even', until } });
  });
});
