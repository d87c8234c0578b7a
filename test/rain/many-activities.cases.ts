import type { Answer, Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

const MAX = 5;
const PACKETS_MAX = 7_500;
const TOO_MANY = { status: 409, body: { code: 'activity.too_many' } };

describe('the activities of one sponsor', () => {
  let operator: Caller;
  let url: string;
  let stopApi: () => Promise<void>;

  beforeAll(async () => {
    const api = await rain.startAnother('main.js', {
      ACTIVITIES_PER_SPONSOR_MAX: String(MAX),
      PACKETS_PER_SPONSOR_DAILY_MAX: String(PACKETS_MAX),
      RATE_LIMIT_USER_PER_SECOND: '1000',
    });
    ({ url } = api);
    stopApi = () => api.program.stop();
    operator = rain.operator('operator', url);
  });

  afterAll(() => stopApi());

  const create = (caller: Caller, sponsorId: string, key?: string): Promise<Answer> =>
    caller.post('/v1/activities', planOf({ sponsorId, totalAmount: '1.00', packetCount: 1 }), { key });

  it('never exceed the limit, however many are created at the same moment', async () => {
    await rain.deposit('keen', '100.00');
    /** Repeats a request until it is decided: a busy machine may ask it to wait. */
    const decided = async (key: string): Promise<Answer> => {
      const answer = await create(operator, 'keen', key);
      const waits = answer.status === 503 || answer.body.code === 'activity.creation_under_way';
      return waits ? decided(key) : answer;
    };
    const answers = await Promise.all(
      Array.from({ length: 4 * MAX }, (_, i) => decided(`keen-activity-${i}`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expect(refused).toMatchObject(TOO_MANY);
    expect((await operator.get('/v1/wallets/keen')).body.balance).toBe('95.00');
  });

  it('are counted per sponsor, and a closed activity frees its place, even for the same key', async () => {
    await rain.deposit('calm', '100.00');
    const ids: string[] = [];
    for (let i = 0; i < MAX; i++) ids.push((await create(operator, 'calm')).body.id);
    const key = 'one-more-of-calm';
    expect(await create(rain.user('calm', url), 'calm', key)).toMatchObject(TOO_MANY);

    expect((await operator.post(`/v1/activities/${ids[0]}/close`)).status).toBe(200);
    expect((await create(rain.user('calm', url), 'calm', key)).status).toBe(201);
    expect(await create(operator, 'calm')).toMatchObject(TOO_MANY);
  });

  it('are created once per key, whichever process it is sent to, and so are deposits', async () => {
    const plan = planOf({ sponsorId: 'twice', totalAmount: '1.00', packetCount: 1 });
    for (const [path, body] of [
      ['/v1/wallets/twice/deposits', { amount: '1.00' }],
      ['/v1/activities', plan],
    ] as const) {
      const [here, there] = [operator, rain.operator()];
      const first = await here.post(path, body, { key: `once:${path}` });
      const again = await there.post(path, body, { key: `once:${path}` });
      expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect((await operator.get('/v1/wallets/twice')).body.balance).toBe('0.00');
  });

  it('have a limited number of packets in a day, however often the same money comes back', async () => {
    await rain.deposit('thrifty', '100.00');
    const user = rain.user('thrifty', url);
    const end = async ({ body }: Answer, how: string) =>
      expect((await user.post(`/v1/activities/${body.id}/${how}`)).status).toBe(200);
    await end(await create(user, 'thrifty'), 'close');
    const long = await create(user, 'thrifty');
    const topUp = (packetCount: number) =>
      user.post(`/v1/activities/${long.body.id}/top-ups`, { amount: '60.00', packetCount });
    expect(await topUp(5_501)).toMatchObject({ status: 429, body: { code: 'activity.too_many_packets' } });
    expect((await topUp(5_500)).status).toBe(201);
    await end(long, 'close');
    const refused = await create(user, 'thrifty');
    expect(refused).toMatchObject({ status: 429, body: { code: 'activity.too_many_packets' } });
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect((await create(operator, 'thrifty')).status).toBe(201);
  });
});
