import type { Caller } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

describe('a server that acts for users', () => {
  it('grabs packets for each of them, as if they had grabbed for themselves', async () => {
    const activityId = await rain.createActivity({ packetCount: 2 });
    const grabs = `/v1/activities/${activityId}/grabs`;
    const won = (await rain.server('amy').post(grabs)).body;
    expect(won.code).toBe('0');
    expect((await rain.server('bob').post(grabs)).body.code).toBe('0');
    expect((await rain.server('cid').post(grabs)).body).toEqual({ code: '-1', reason: 'sold-out' });

    expect((await rain.user('amy').post(grabs)).body).toEqual({ ...won, code: '1' });
    expect((await rain.user('amy').get(`${grabs}/me`)).body.redPacketId).toBe(won.redPacketId);
    const { items } = (await rain.as('support').get(grabs)).body;
    expect(items.map(({ userId }: { userId: string }) => userId).sort()).toEqual(['amy', 'bob']);
  });

  it('is recorded together with the user it acts for; a user who acts directly is recorded alone', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'ann' });
    await rain.server('ann', 'shop').post(`/v1/activities/${activityId}/close`);
    const { items } = (await rain.as('support').get(`/v1/audit-log?subject=activity:${activityId}`)).body;
    expect(items).toMatchObject([
      { action: 'activity.close', actorId: 'ann', via: 'shop' },
      { action: 'activity.create', actorId: 'operator', via: null },
    ]);
  });

  it('shares Idempotency-Keys with the user it acts for, and with no other user', async () => {
    const plan = planOf({ sponsorId: undefined, totalAmount: '1.00', packetCount: 1 });
    for (const owner of ['dan', 'eve'])
      await rain.as('finance').post(`/v1/wallets/${owner}/deposits`, { amount: '5.00' });
    const create = (caller: Caller) => caller.post('/v1/activities', plan, { key: 'one-key-for-all' });

    const first = await create(rain.server('dan'));
    const again = await create(rain.user('dan'));
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await create(rain.server('eve'));
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it('gets tickets with which the user can listen to their events', async () => {
    const { body } = await rain.server('fred').post('/v1/me/events/tickets');
    const over = new AbortController();
    const url = `${rain.url}/v1/me/events?ticket=${body.ticket}`;
    const stream = await fetch(url, { signal: over.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    over.abort();
  });

  it.each([
    ['nobody', undefined],
    ['an invalid user id', 'u 1'],
    ['two users', 'u1, u2'],
    ['an empty name', ''],
  ])('is answered 400 with the name of the header when it names %s', async (_, user) => {
    const headers: Record<string, string> = user === undefined ? {} : { 'act-for': user };
    const answer = await rain.as('server').post('/v1/activities/1/grabs', undefined, { headers });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'request.invalid', errors: [{ field: 'Act-For' }] },
    });
  });
});
