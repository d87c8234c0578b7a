import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { cents } from '../harness/installation';
import { rain } from '../harness/shared-installation';

jest.setTimeout(600_000);

const WAITING = 200;
const TOP_UP = 120;

/** How often the leader dies; set WAITLIST_KILLS for more. */
const KILLS = Number(process.env.WAITLIST_KILLS ?? 3);

/** The number of users who listen, the first in the line. Some of them get nothing. */
const LISTENING = 130;

describe('two hundred waiting users, for whom more than half as many packets arrive,', () => {
  const clients: EventClient[] = [];

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await rain.worker!.stop();
  });

  const userOf = (place: number) => `waits${place}`;

  it('are served in their order, once each, notified and paid, however often the leader dies', async () => {
    const activityId = await rain.createActivity({ packetCount: 1, totalAmount: '1.00', sponsorId: 'rich' });
    expect((await rain.user('first').post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');
    await joinAll(activityId);
    for (let place = 0; place < LISTENING; place++)
      clients.push(await EventClient.connect(rain.url, rain.tokenOf(userOf(place))));

    const operator = rain.operator();
    await operator.post('/v1/wallets/rich/deposits', { amount: `${TOP_UP}.00` });
    const topUp = { amount: `${TOP_UP}.00`, packetCount: TOP_UP, split: { kind: 'equal' } };
    expect((await operator.post(`/v1/activities/${activityId}/top-ups`, topUp)).status).toBe(201);
    expect((await rain.user('late').post(`/v1/activities/${activityId}/grabs`)).body).toEqual({
      code: '-1',
      reason: 'sold-out',
    });

    await killLeaders();
    await rain.startWorker();
    await waitFor(async () => (await placeOf(activityId, TOP_UP)) === 1, {
      what: 'the last packet to be given',
    });
    await rain.settled(activityId);
    await expectNotified('waitlist.assigned');
    await expectNotified('wallet.credited');

    const lucky = Array.from({ length: TOP_UP }, (_, place) => userOf(place));
    const claims = await rain.sql<{ user_id: string }>(
      `select user_id from claim where activity_id = $1 and user_id <> 'first'`,
      [activityId],
    );
    expect(claims.map(({ user_id }) => user_id).sort()).toEqual(lucky.sort());
    expect(await rain.proof(activityId)).toMatchObject({ credited: `${TOP_UP + 1}.00`, verdict: 'balanced' });
    const balances = await Promise.all(
      lucky
        .slice(0, 5)
        .map(async (user) => (await rain.user(user).get('/v1/me/wallet')).body.balance as string),
    );
    expect(balances.map(cents)).toEqual([100, 100, 100, 100, 100]);
    await rain.verify();
  });

  async function joinAll(activityId: string): Promise<void> {
    for (let place = 0; place < WAITING; place++) {
      const { body } = await rain.user(userOf(place)).post(`/v1/activities/${activityId}/waitlist`);
      expect(body).toEqual({ activityId, position: place + 1, waiting: place + 1 });
    }
  }

  /** Kills the leaders in turn, just before or just after they have given out packets. */
  async function killLeaders(): Promise<void> {
    for (let kill = 0; kill < KILLS; kill++) {
      const moment = kill % 3 === 2 ? 'assign.after-draw' : 'assign.before-draw';
      const doomed = rain.startAnother('worker.js', { FAILPOINTS: `${moment}=kill@1` });
      await doomed.then(
        ({ program }) => program.ended,
        (diedAtOnce: Error) => expect(diedAtOnce.message).toContain(`failpoint ${moment} kill`),
      );
    }
  }

  const placeOf = async (activityId: string, place: number) =>
    (await rain.user(userOf(place)).get(`/v1/activities/${activityId}/waitlist/me`)).body.position as number;

  /** Expects one notification for each user who was served, and none for the others. */
  async function expectNotified(event: string): Promise<void> {
    const times = (client: EventClient) => client.heard.filter((heard) => heard.event === event).length;
    const lucky = clients.slice(0, TOP_UP);
    await waitFor(() => lucky.every((client) => times(client) > 0), { what: `${event} for everybody` });
    expect(lucky.map(times)).toEqual(lucky.map(() => 1));
    expect(clients.slice(TOP_UP).map(times)).toEqual(clients.slice(TOP_UP).map(() => 0));
  }
});
