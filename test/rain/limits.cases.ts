import { GatewayClient } from '../harness/gateway-client';
import { call } from '../harness/client';
import { rain } from '../harness/shared-installation';

describe('an activity that limits the wins of a user', () => {
  const LIMIT = { status: 200, body: { code: '-1', reason: 'limit' } };

  const create = (sponsorId: string, packetCount = 3) =>
    rain.createActivity({ sponsorId, packetCount, limits: { perUser: 1 } });

  const tap = (id: string, user: string, query = '', url = rain.url) =>
    call(url, rain.tokenOf(user), 'POST', `/v1/activities/${id}/grabs${query}`, {});

  it('answers "limit" by the fast lane, by Fastify and over the gateway, and gives the packet to somebody else', async () => {
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

  it('answers after the confirmation even by a program that answers before it elsewhere', async () => {
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
  ])('is refused with the wrong %s: %j', async (field, limits) => {
    const now = Date.now();
    const body = {
      ...{ name: 'Rain', sponsorId: 'wrong', totalAmount: '1.00', packetCount: 1, split: { kind: 'equal' } },
      ...{ opensAt: new Date(now).toISOString(), closesAt: new Date(now + 60_000).toISOString(), limits },
    };
    expect(await rain.operator().post('/v1/activities', body)).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    });
  });
});
