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

  it('answers "not-yet" with an instant of this user after the next release, alike on all ways, and winners as ever', async () => {
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

  it('has its plan in its view, and in the terms to which its packets are committed', async () => {
    const { id, pace } = await inTwoWaves();
    expect((await rain.user('nosy').get(`/v1/activities/${id}`)).body).toMatchObject({ phase: 'open', pace });
    const read = async () => (await rain.user('nosy').get(`/v1/activities/${id}/fairness`)).body;
    expect((await read()).batches[0].terms.pace).toEqual({
      kind: 'waves',
      waves: pace.waves.map(({ at, count }) => ({ at, count: String(count) })),
    });
    await rain.operator().post(`/v1/activities/${id}/close`);
    expect(await checkPublicFiles([JSON.stringify(await read())])).toEqual([
      expect.stringContaining('all 10 packets are as committed'),
    ]);
  });

  it('that is even lasts until the close unless it says otherwise', async () => {
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
