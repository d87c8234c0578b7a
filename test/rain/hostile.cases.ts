import { randomUUID } from 'node:crypto';
import { encodeCursor } from '../../src/platform/http';
import type { Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('a currency that Postgres cannot read', () => {
  it.each(['me/wallet', 'me/packets', 'activities', 'log/checkpoint', 'log/leaves?from=0'])(
    'is refused by GET /v1/%s, even where a request need not name one',
    async (path) => {
      const headers = path.startsWith('log') ? undefined : { authorization: `Bearer ${rain.tokenOf('u1')}` };
      for (const currency of ['%00', 'a%00b', 'ZZZ']) {
        const query = `${path.includes('?') ? '&' : '?'}currency=${currency}`;
        const answer = await fetch(`${rain.url}/v1/${path}${query}`, { headers });
        expect([currency, answer.status]).toEqual([currency, 400]);
      }
    },
  );
});

/** Routes where money enters answer bad input with the field, and without an effect. */
describe('input to the real routes:', () => {
  let operator: Caller;

  beforeAll(async () => {
    operator = rain.operator();
    await operator.post('/v1/wallets/rich/deposits', { amount: '1000.00' });
  });

  const activity = (change: object = {}) => ({
    ...planOf({ sponsorId: 'rich', totalAmount: '10.00' }),
    ...change,
  });

  const day = 86_400_000;
  const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

  /** Waves by days from now and counts. The rain lasts an hour. */
  const inWaves = (...waves: (readonly [days: number, count: number])[]) => ({
    pace: { kind: 'waves', waves: waves.map(([days, count]) => ({ at: inDays(days), count })) },
  });

  it.each<[string, object, string]>([
    ['a negative amount', { totalAmount: '-1.00' }, 'totalAmount'],
    ['zero', { totalAmount: '0' }, 'totalAmount'],
    ['minus zero', { totalAmount: '-0' }, 'totalAmount'],
    ['NaN', { totalAmount: 'NaN' }, 'totalAmount'],
    ['Infinity', { totalAmount: 'Infinity' }, 'totalAmount'],
    ['an exponent', { totalAmount: '1e3' }, 'totalAmount'],
    ['hexadecimal', { totalAmount: '0x10' }, 'totalAmount'],
    ['a leading space', { totalAmount: ' 5' }, 'totalAmount'],
    ['2^63', { totalAmount: '9223372036854775808' }, 'totalAmount'],
    ['more than the maximum', { totalAmount: '999999999999999.99' }, 'totalAmount'],
    ['half a packet', { packetCount: 1.5 }, 'packetCount'],
    ['a billion packets', { packetCount: 1e9 }, 'packetCount'],
    [
      'a tier without an amount',
      { split: { kind: 'tiers', tiers: [{ count: 10 }] } },
      'split.tiers[0].amount',
    ],
    ['tiers of nonsense', { split: { kind: 'tiers', tiers: [null] } }, 'split.tiers[0]'],
    ['a tier that is a list', { split: { kind: 'tiers', tiers: [[]] } }, 'split.tiers'],
    ['null as minimum', { split: { kind: 'random', min: null } }, 'split.min'],
    ['null as maximum', { split: { kind: 'random', max: null } }, 'split.max'],
    ['null as sponsor', { sponsorId: null }, 'sponsorId'],
    ['null as split', { split: null }, 'split'],
    ['a list as split', { split: [] }, 'split'],
    ['a list of null as split', { split: [null] }, 'split[0]'],
    ['text as split', { split: 'random' }, 'split'],
    ['a field of another split', { split: { kind: 'equal', min: '0.01' } }, 'split.min'],
    ['an unknown pace', { pace: { kind: 'slow' } }, 'pace.kind'],
    ['null as pace', { pace: null }, 'pace'],
    ['a field of another pace', { pace: { kind: 'even', waves: [] } }, 'pace.waves'],
    ['an even pace that ends too early', { pace: { kind: 'even', until: inDays(-9) } }, 'pace.until'],
    ['no waves', { pace: { kind: 'waves', waves: [] } }, 'pace.waves'],
    ['a wave of nonsense', { pace: { kind: 'waves', waves: [null] } }, 'pace.waves[0]'],
    ['too many waves', inWaves(...Array.from({ length: 101 }, () => [0.01, 1] as const)), 'pace.waves'],
    ['waves that do not add up', inWaves([0.01, 9]), 'pace.waves'],
    ['a wave without packets', inWaves([0.01, 0]), 'pace.waves[0].count'],
    ['a close absurdly far away', { closesAt: '9999-12-31T00:00:00Z' }, 'closesAt'],
    ['30 February', { closesAt: '2031-02-30T00:00:00Z' }, 'closesAt'],
    ['a NUL in the name', { name: 'a\u0000b' }, 'name'],
    ['half a character in the name', { name: 'a\ud83d' }, 'name'],
    ['a name of spaces', { name: '  \u3000' }, 'name'],
    ['an invisible name', { name: '\u200b\u2028\u3164' }, 'name'],
    ['a name that reverses the text around it', { name: 'Rain \u202e00.001' }, 'name'],
    ['a sponsor that is not a user id', { sponsorId: 'a b' }, 'sponsorId'],
  ])('%s is refused and names its field', async (_, change, field) => {
    const before = (await operator.get('/v1/wallets/rich')).body;
    const { status, body } = await operator.post('/v1/activities', activity(change));
    expect({ status, body }).toMatchObject({ status: 400, body: { status: 400 } });
    const named = (body.errors as { field: string }[]).map((error) => error.field);
    expect(named.some((name) => name === field || name.startsWith(`${field}[`))).toBe(true);
    expect((await operator.get('/v1/wallets/rich')).body).toEqual(before);
  });

  it('deposits beyond what an account can hold are refused with 422', async () => {
    let answer = await operator.post('/v1/wallets/croesus/deposits', { amount: '999999999999999.99' });
    for (let i = 0; i < 12 && answer.status === 201; i++) {
      answer = await operator.post('/v1/wallets/croesus/deposits', { amount: '999999999999999.99' });
    }
    expect(answer).toMatchObject({ status: 422, body: { code: 'wallet.balance_limit' } });
  });

  it.each([
    'abc',
    '123456789012345678901234567890',
    '0',
    '-1',
    '1.5',
    '{}',
    '{07}:1',
    '*',
    '%00',
    '😀',
    '..%2f..',
  ])('the activity id %s never reaches a Redis key', async (id) => {
    for (const path of ['', '/grabs/me', '/grabs', '/reconciliation']) {
      const { status } = await operator.get(`/v1/activities/${encodeURI(id).replace(/%25/g, '%')}${path}`);
      expect([400, 404]).toContain(status);
    }
    const grabs = `/v1/activities/${encodeURI(id).replace(/%25/g, '%')}/grabs`;
    const { status } = await rain.user('u1').post(grabs);
    expect([400, 404]).toContain(status);
  });

  it('a grab takes its user only from the token', async () => {
    const created = await operator.post('/v1/activities', activity());
    const path = `/v1/activities/${created.body.id}/grabs`;
    const user = rain.user('u1');
    expect(await user.post(path, { userId: 'u2' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'userId' }] },
    });
    expect((await user.post(`${path}?userId=u2`)).status).toBe(400);
    expect((await user.post(path, undefined, { headers: { 'x-user-id': 'u2' } })).status).toBe(400);
    expect((await user.post(path)).body.code).toBe('0');
  });

  it.each(['abc\ud800', 'abc\u0000', ' \u200b '])('the reason %j is refused', async (reason) => {
    const answer = await operator.post('/v1/dead-letters/1/resolve', { reason });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'reason' }] } });
  });

  it('a hundred tiers are accepted', async () => {
    const tiers = Array.from({ length: 100 }, () => ({ amount: '0.01', count: 1 }));
    const body = activity({ totalAmount: '1.00', packetCount: 100, split: { kind: 'tiers', tiers } });
    expect((await operator.post('/v1/activities', body)).status).toBe(201);
  });

  it('a POST that moves money needs a key, and a key belongs to one request', async () => {
    const deposit = (amount: string, key: string) =>
      operator.post('/v1/wallets/keyed/deposits', { amount }, { key });
    expect((await deposit('1.00', 'short')).body.code).toBe('idempotency.key_invalid');
    const key = randomUUID();
    expect((await deposit('1.00', key)).status).toBe(201);
    expect((await deposit('1.00', key)).headers.get('idempotency-replayed')).toBe('true');
    expect((await deposit('2.00', key)).body.code).toBe('idempotency.mismatch');
    expect((await operator.get('/v1/wallets/keyed')).body.balance).toBe('1.00');
  });

  it.each(['limit=0', 'limit=101', 'limit=1000000000', 'limit=x', 'cursor=nonsense', 'page=2'])(
    'a list refuses ?%s',
    async (query) => {
      const lists = ['activities', 'activities/1/grabs', 'audit-log', 'dead-letters'];
      for (const path of [...lists, 'me/packets', 'me/wallet/entries'])
        expect((await operator.get(`/v1/${path}?${query}`)).status).toBe(400);
    },
  );

  it.each([2n ** 53n + 1n, 2n ** 63n - 1n])(
    'a cursor beyond the end of every list is refused, or ends the list: %s',
    async (place) => {
      const id = await rain.createActivity({ packetCount: 1 });
      const cursor = encodeCursor(String(place));
      const statusOf = async (path: string) => (await operator.get(`${path}?cursor=${cursor}`)).status;
      expect(await statusOf(`/v1/activities/${id}/waitlist`)).toBe(400);
      expect(await statusOf(`/v1/activities/${id}/grabs`)).toBe(400);
      const lists = ['activities', 'dead-letters', 'approvals', 'audit-log', 'journal/quarantine'];
      for (const path of [...lists, 'me/packets', 'me/wallet/entries', 'wallets/rich/entries'])
        expect([path, [200, 400].includes(await statusOf(`/v1/${path}`))]).toEqual([path, true]);
    },
  );
});
