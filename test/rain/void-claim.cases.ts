import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';
import { wonByRobot } from './robots';

describe('a claim that an operator declares void', () => {
  it('gives its packet to a waiting user once, and it is paid, however often the request is sent', async () => {
    const { activityId, letterId } = await wonByRobot('robot-1');
    const waiting = await rain.user('ann').post(`/v1/activities/${activityId}/waitlist`);
    expect(waiting.status).toBeLessThan(300);

    const body = { reason: 'The account belongs to a robot.' };
    const send = () => rain.operator().post(`/v1/dead-letters/${letterId}/void`, body, { key: 'void-once' });
    const first = await send();
    expect(first).toMatchObject({
      status: 200,
      body: { deadLetterId: letterId, activityId, userId: 'robot-1', amount: '1.00' },
    });
    expect((await send()).body).toEqual(first.body);

    const mine = `/v1/activities/${activityId}/grabs/me`;
    await waitFor(async () => (await rain.user('ann').get(mine)).body.settlement === 'credited', {
      what: 'the packet of ann',
    });
    expect((await rain.user('ann').get(mine)).body).toMatchObject({
      redPacketId: first.body.redPacketId,
      amount: '1.00',
    });
    expect((await rain.user('robot-1').get(mine)).body.settlement).toBe('void');
    expect((await rain.tap(activityId, 'robot-1')).body.code).toBe('1');
    expect(await rain.proof(activityId)).toMatchObject({
      verdict: 'balanced',
      funded: '2.00',
      credited: '1.00',
      void: '1.00',
      escrowBalance: '0.00',
      claims: { credited: 1, void: 1, dead: 0 },
    });
    const { items } = (await rain.operator().get(`/v1/audit-log?subject=dead-letter:${letterId}`)).body;
    expect(items).toMatchObject([
      {
        action: 'dead-letter.void',
        actorId: 'operator',
        before: { status: 'open', resolution: null },
        after: { status: 'void', resolution: body.reason },
      },
    ]);
    const growth = (await rain.operator().get(`/v1/audit-log?subject=activity:${activityId}`)).body.items[0];
    expect(growth).toMatchObject({
      action: 'activity.top-up',
      before: { totalAmount: '1.00', packetCount: 1 },
      after: { totalAmount: '2.00', packetCount: 2 },
    });
  });

  it('returns the money to the sponsor after the end, and cannot be undone', async () => {
    const { activityId, letterId } = await wonByRobot('robot-2');
    await rain.closeActivity(activityId);
    const path = `/v1/dead-letters/${letterId}`;
    const answer = await rain.operator().post(`${path}/void`, { reason: 'a robot' });
    expect(answer).toMatchObject({ status: 200, body: { redPacketId: null } });
    const sponsor = await rain.user('sponsor-of-robot-2').get('/v1/me/wallet/entries');
    expect(sponsor.body.items[0]).toMatchObject({ kind: 'void', amount: '1.00', activityId });

    for (const deed of ['void', 'resolve'])
      expect(await rain.operator().post(`${path}/${deed}`, { reason: 'again' })).toMatchObject({
        status: 409,
        body: { code: 'dead_letter.not_open' },
      });
    expect((await rain.operator().post(`${path}/replay`)).status).toBe(409);
  });

  it('can be declared void only by operators, with a reason, and for an existing dead letter', async () => {
    const send = (caller = rain.operator(), body: object = { reason: 'a robot' }) =>
      caller.post('/v1/dead-letters/999999/void', body);
    expect(await send()).toMatchObject({ status: 404, body: { code: 'dead_letter.not_found' } });
    expect((await send(rain.user('robot-1'))).status).toBe(403);
    expect(await send(rain.operator(), {})).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'reason' }] },
    });
  });
});
