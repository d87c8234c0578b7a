import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { exactRequest } from '../harness/exact-request';
import { JWT_SECRET, planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { known, register } from '../webhook/support';

const SPONSOR = 'https://id.example/users/7?tenant=a#me';
const OPERATOR = 'support|ann@shop.example';

/** Users as identity providers name them, and some that break careless code. */
const USERS = [
  ...['auth0|5f7c1b2a9e', 'user@shop.example', 'urn:user:7'],
  ...['...', '/', '%2F', '1:1!', '{00}:*', '"\\N\'{},', '__proto__', 'constructor', '~'.repeat(128)],
];

const ownRain = (packetCount: number) =>
  planOf({ sponsorId: undefined, totalAmount: `${packetCount}.00`, packetCount, split: { kind: 'equal' } });

describe('users as identity providers name them', () => {
  let receiver: WebhookReceiver;
  let deleteWebhook: () => Promise<unknown>;
  const clients = new Map<string, EventClient>();

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const webhook = await register(rain, `${receiver.url}/all`);
    deleteWebhook = () => rain.operator().delete(`/v1/webhooks/${webhook.id}`);
    await known(rain, webhook);
    for (const user of USERS) clients.set(user, await EventClient.connect(rain.url, rain.tokenOf(user)));
  });

  afterAll(async () => {
    await Promise.all([...clients.values()].map((client) => client.close()));
    await deleteWebhook();
    await receiver.stop();
  });

  /** Sends a request by an operator whose own id is not plain. The path is sent unchanged. */
  async function operate(method: 'GET' | 'POST', path: string, body?: object) {
    const token = signToken({ secret: JWT_SECRET }, { sub: OPERATOR, role: 'operator' });
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
    const answer = await exactRequest(rain.url, path, { method, headers, body });
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    return answer.body;
  }

  const walletOf = (user: string) => `/v1/wallets/${encodeURIComponent(user)}`;
  const grabsOf = (activityId: string) => `/v1/activities/${activityId}/grabs`;
  const queryOf = (name: string, value: string) => new URLSearchParams({ [name]: value }).toString();

  async function createActivity(packetCount: number): Promise<string> {
    const plan = ownRain(packetCount);
    await operate('POST', `${walletOf(SPONSOR)}/deposits`, { amount: plan.totalAmount });
    return (await operate('POST', '/v1/activities', { ...plan, sponsorId: SPONSOR })).id as string;
  }

  const grabAll = (activityId: string) =>
    Promise.all(USERS.map(async (user) => (await rain.tap(activityId, user)).body));

  const listed = async (path: string) =>
    ((await operate('GET', path)).items as { userId: string }[]).map(({ userId }) => userId);

  /** Waits until a user and the webhook have received this event of an activity. */
  async function heard(activityId: string, event: string): Promise<void> {
    for (const [user, client] of clients) {
      const here = () =>
        client.heard.filter((one) => one.event === event && one.data.activityId === activityId);
      await waitFor(() => here().length > 0, { what: `${event} for ${user}` });
      expect(here().map(({ data }) => data)).toEqual([expect.objectContaining({ userId: user })]);
    }
    const received = () =>
      receiver
        .at('/all')
        .filter(({ body }) => body.type === event && body.data.activityId === activityId)
        .map(({ body }) => body.data.userId as string)
        .filter((user) => USERS.includes(user));
    await waitFor(() => received().length >= USERS.length, { what: `${event} at the webhook` });
    expect(received().sort()).toEqual([...USERS].sort());
  }

  it('win, keep their packets, are paid, listed and notified', async () => {
    const activityId = await createActivity(USERS.length);
    const first = await grabAll(activityId);
    expect(first.map(({ code }) => code)).toEqual(USERS.map(() => '0'));
    expect(new Set(first.map(({ redPacketId }) => redPacketId)).size).toBe(USERS.length);
    expect(await grabAll(activityId)).toEqual(first.map((won) => ({ ...won, code: '1' })));

    await rain.settled(activityId);
    await heard(activityId, 'packet.confirmed');
    await heard(activityId, 'wallet.credited');
    const path = `${grabsOf(activityId)}?limit=100`;
    expect((await listed(path)).sort()).toEqual([...USERS].sort());
    for (const [i, user] of USERS.entries()) {
      const { redPacketId, amount } = first[i]!;
      const won = { activityId, redPacketId, amount, settlement: 'credited' };
      expect((await rain.user(user).get(`${grabsOf(activityId)}/me`)).body).toMatchObject(won);
      expect((await rain.user(user).get('/v1/me/packets')).body.items).toMatchObject([won]);
      expect((await operate('GET', `${path}&${queryOf('userId', user)}`)).items).toMatchObject([
        { ...won, userId: user },
      ]);
      expect((await rain.user(user).get('/v1/me/wallet')).body).toMatchObject({ balance: amount });
      expect(await operate('GET', walletOf(user))).toMatchObject({ ownerId: user, balance: amount });
      const lines = (await operate('GET', `${walletOf(user)}/entries?kind=credit`)).items;
      expect(lines).toMatchObject([{ kind: 'credit', amount, activityId }]);
    }
    expect(await rain.proof(activityId)).toMatchObject({ verdict: 'balanced', redis: { agrees: true } });
  });

  it('wait in the order of joining, and receive packets and notifications', async () => {
    const activityId = await createActivity(1);
    await rain.win(activityId, 'first');
    const waitlist = `/v1/activities/${activityId}/waitlist`;
    for (const [i, user] of USERS.entries()) {
      const place = { activityId, position: i + 1, waiting: i + 1 };
      expect((await rain.user(user).post(waitlist)).body).toEqual(place);
      expect((await rain.user(user).get(`${waitlist}/me`)).body).toEqual(place);
    }
    const amount = `${USERS.length}.00`;
    await operate('POST', `${walletOf(SPONSOR)}/deposits`, { amount });
    const added = { amount, packetCount: USERS.length, split: { kind: 'equal' } };
    expect((await rain.user(SPONSOR).post(`/v1/activities/${activityId}/top-ups`, added)).status).toBe(201);

    await heard(activityId, 'waitlist.assigned');
    await rain.settled(activityId);
    await heard(activityId, 'wallet.credited');
    const winners = await listed(`${grabsOf(activityId)}?limit=100`);
    expect(winners.sort()).toEqual(['first', ...USERS].sort());
  });

  it('can be frozen, found among the dead letters, unfrozen, and paid after a replay', async () => {
    for (const user of USERS)
      expect(await operate('POST', `${walletOf(user)}/freeze`)).toMatchObject({
        ownerId: user,
        status: 'frozen',
      });
    const balances = await Promise.all(USERS.map((user) => operate('GET', walletOf(user))));
    const activityId = await createActivity(USERS.length);
    await grabAll(activityId);
    await rain.settled(activityId);
    expect((await listed('/v1/dead-letters?limit=100')).sort()).toEqual([...USERS].sort());

    for (const user of USERS) {
      expect(await operate('POST', `${walletOf(user)}/unfreeze`)).toMatchObject({ status: 'active' });
      expect(await operate('POST', '/v1/dead-letters/replay', { userId: user })).toEqual({ replayed: 1 });
    }
    await rain.settled(activityId);
    for (const { ownerId, balance } of balances)
      expect((await operate('GET', walletOf(ownerId as string))).balance).toBe(
        (Number(balance) + 1).toFixed(2),
      );
  });

  it('receive deposits, and the audit log finds actions on them and by them', async () => {
    for (const user of USERS) {
      const { balance } = await operate('GET', walletOf(user));
      const deposit = await operate('POST', `${walletOf(user)}/deposits`, { amount: '2.00' });
      expect(deposit.balance).toBe((Number(balance) + 2).toFixed(2));
      const deeds = (await operate('GET', `/v1/audit-log?${queryOf('subject', `wallet:${user}`)}`)).items;
      expect(deeds[0]).toMatchObject({
        action: 'wallet.deposit',
        subject: `wallet:${user}`,
        actorId: OPERATOR,
      });
      const of = { subject: `wallet:${user}` };
      expect(deeds).toEqual(deeds.map(() => expect.objectContaining(of)));
    }
    const mine = (await operate('GET', `/v1/audit-log?limit=1&${queryOf('actorId', OPERATOR)}`)).items;
    expect(mine).toMatchObject([{ actorId: OPERATOR, subject: `wallet:${USERS.at(-1)}` }]);
  });

  it('create and close rains of their own, which are found by the sponsor’s name', async () => {
    for (const user of USERS) {
      await operate('POST', `${walletOf(user)}/deposits`, { amount: '1.00' });
      const { body } = await rain.user(user).post('/v1/activities', ownRain(1));
      expect(body).toMatchObject({ sponsorId: user });
      const { items } = (await rain.user(user).get(`/v1/activities?${queryOf('sponsorId', user)}`)).body;
      expect(items).toMatchObject([{ id: body.id, sponsorId: user }]);
      expect((await rain.user(user).post(`/v1/activities/${body.id}/close`)).status).toBe(200);
    }
  });

  it.each(['auth0|5f7c1b2a9e', '..u', '-u1'])('get a token from the command: %j', async (user) => {
    const script = resolve('dist', 'src', 'dev', 'token.js');
    const env = { PATH: process.env.PATH, JWT_SECRET };
    const token = execFileSync(process.execPath, [script, `--sub=${user}`], { env })
      .toString()
      .trim();
    const headers = { authorization: `Bearer ${token}` };
    expect((await exactRequest(rain.url, '/v1/me/wallet', { headers })).status).toBe(200);
  });

  it('are still known when Redis has lost everything and has been reloaded', async () => {
    const activityId = await createActivity(USERS.length + 1);
    const first = await grabAll(activityId);
    await rain.redis.flushall();
    await waitFor(async () => (await rain.proof(activityId)).redis.agrees === true, { what: 'the load' });
    expect(await grabAll(activityId)).toEqual(first.map((won) => ({ ...won, code: '1' })));
    await rain.settled(activityId);
  });
});
