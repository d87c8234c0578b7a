import { GatewayClient } from '../harness/gateway-client';
import { call } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('an activity that limits the wins of a user', () => {
  const LIMIT = { status: 200, body: { code: '-1', reason: 'limit' } };

  const create = (sponsorId: string, packetCount = 3) =>
    rain.createActivity({ sponsorId, packetCount, limits: { perUser: 1 } });

  const tap = (id: string, user: string, query = '', url = rain.url) =>
    call(url, rain.tokenOf(user), 'POST', `/v1/activities/${id}/grabs${query}`, {});

  it('answers "limit" on the fast lane, on Fastify and over the gateway, and gives the packet to another user', async () => {
    const id = await create('three-ways', 1);
    expect((await tap(await create('three-ways'), 'ann')).body.code).toBe('0');
    const client = await GatewayClient.connect(rain.url, rain.tokenOf('ann'));
    expect(await client.ask({ op: 'grab', activityId: id })).toMatchObject(LIMIT);
    await client.close();
    expect(await tap(id, 'ann')).toMatchObject(LIMIT);
    expect(await tap(id, 'ann', '?')).toMatchObject(LIMIT);
    expect((await tap(id, 'bob')).body.code).toBe('0');
    expect((await tap(id, 'ann')).body).toEqual({ code: '-1', reason: 'sold-out' });
  });

  it('answers after the confirmation, even in a program that otherwise answers before it', async () => {
    const { program, url } = await rain.startAnother('main.js', { GRAB_ACK: 'redis' });
    const [first, second] = [await create('early'), await create('early')];
    expect((await tap(first, 'ann', '', url)).body.code).toBe('0');
    expect(await tap(second, 'ann', '', url)).toMatchObject(LIMIT);
    await program.stop();
  });

  it('shows its limits with their defaults, also in its template', async () => {
    const id = await create('shown');
    const limits = { perUser: 1, group: 'default', timeZone: 'UTC' };
    expect((await rain.operator().get(`/v1/activities/${id}`)).body.limits).toEqual(limits);
    expect((await rain.user('shown').get(`/v1/activities/${id}/template`)).body.limits).toEqual(limits);
    const other = await rain.createActivity({ sponsorId: 'shown' });
    expect((await rain.operator().get(`/v1/activities/${other}`)).body).not.toHaveProperty('limits');
  });

  it.each([
    ['limits', {}],
    ['limits.perUser', { perUser: 0 }],
    ['limits.perUserPerDay', { perUserPerDay: 1.5 }],
    ['limits.timeZone', { perUser: 1, timeZone: 'Asia/Atlantis' }],
    ['limits.group', { perUser: 1, group: '' }],
    ['limits.perMonth', { perUser: 1, perMonth: 2 }],
  ])('is refused with an invalid %s: %j', async (field, limits) => {
    expect(await rain.operator().post('/v1/activities', planOf({ limits }))).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    });
  });
});

describe('the budget of a sponsor', () => {
  it('is set by operators, read by its sponsor, binds creations and top-ups, and is in the audit log', async () => {
    const path = '/v1/wallets/frugal/budget';
    const id = await rain.createActivity({ sponsorId: 'frugal', totalAmount: '10.00' });
    const set = await rain.operator().patch(path, { perDay: '12.00' });
    expect(set).toEqual(expect.objectContaining({ status: 200 }));
    expect(set.body).toEqual({ perDay: '12.00', spentToday: '10.00', currency: 'CNY' });
    expect((await rain.user('frugal').get('/v1/me/budget')).body).toEqual(set.body);
    expect((await rain.as('finance').get(path)).body).toEqual(set.body);
    await rain.deposit('frugal', '5.00');
    const add = (amount: string) =>
      rain.user('frugal').post(`/v1/activities/${id}/top-ups`, { amount, packetCount: 1 });
    expect(await add('2.01')).toMatchObject({ status: 422, body: { code: 'wallet.budget_exceeded' } });
    expect(await add('2.00')).toMatchObject({ status: 201 });
    expect((await rain.operator().delete(path)).status).toBe(204);
    const none = { perDay: null, spentToday: null, currency: 'CNY' };
    expect((await rain.user('frugal').get('/v1/me/budget')).body).toEqual(none);
    const log = await rain.operator().get('/v1/audit-log?subject=wallet:frugal');
    const changes = (log.body.items as { action: string }[]).filter(
      ({ action }) => action === 'wallet.budget',
    );
    expect(changes).toMatchObject([
      { before: { budgetPerDay: '12.00' }, after: { budgetPerDay: null } },
      { before: { budgetPerDay: null }, after: { budgetPerDay: '12.00' } },
    ]);
  });
});
