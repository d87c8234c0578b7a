import { randomUUID } from 'node:crypto';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { columnsWith, keysWith } from '../erasure/search';
import { known, pushed, register } from '../webhook/support';

const ERASURE_KEY = Buffer.alloc(32, 9).toString('base64');

/** Everything is logged, so that all of it is searched. */
shareInstallation({
  LOG_LEVEL: 'debug',
  ERASURE_KEEP_DAYS: '0',
  ENDED_KEPT_SECONDS: '1',
  SWEEP_INTERVAL_MS: '200',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
});

const db = { query: (sql: string, values?: unknown[]) => rain.sql<never>(sql, values) } as never;
/** The last keys to expire are those of wrong passwords: a minute’s are kept for three. */
const EXPIRES_WITHIN_MS = 300_000;

const newId = () => `zoe-${randomUUID()}`;

const erase = () => rain.command('erasure', { MIGRATION_DATABASE_URL: rain.database.url, ERASURE_KEY });

const ask = (id: string, by = 'operator') => rain.operator(by).post(`/v1/users/${id}/erasures`);

const channelOf = async (): Promise<string> =>
  (await rain.operator().post('/v1/payout-channels', { name: 'shop', profile: { smallest: '0.01' } })).body
    .id;

const textOf = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${rain.tokenOf('operator', 'operator')}` };
  return (await fetch(rain.url + path, { headers })).text();
};

/** All money leaves through the channel. */
async function payOut(id: string, channelId: string): Promise<void> {
  const { balance } = (await rain.user(id).get('/v1/me/wallet')).body;
  const asked = await rain.user(id).post('/v1/me/payouts', { amount: balance, channelId });
  expect(asked).toMatchObject({ status: 201 });
  const shop = rain.channel(channelId);
  await shop.get(`/v1/payout-channels/${channelId}/waiting`);
  const outcome = { id: asked.body.id, outcome: 'paid' };
  expect(await shop.post('/v1/payouts/outcomes', { outcomes: [outcome] })).toMatchObject({ status: 200 });
}

const untilAtRest = (id: string) =>
  waitFor(async () => (await rain.operator().get(`/v1/users/${id}/standing`)).body.underWay.length === 0, {
    what: 'nothing under way',
  });

describe('a person who is forgotten', () => {
  it('is in no table, Redis key, answer or export any more, and comes back as someone new', async () => {
    const [id, friend] = [newId(), `friend-${randomUUID()}`];
    const receiver = await WebhookReceiver.start();
    const webhook = await register(rain, receiver.url);
    await known(rain, webhook);
    const channelId = await channelOf();
    await rain.operator().post(`/v1/wallets/${id}/deposits`, { amount: '9.00', reference: 'R-1' });
    const own = await rain
      .user(id)
      .post('/v1/activities', {
        ...planOf({ totalAmount: '3.00', packetCount: 3 }),
        sponsorId: undefined,
        audience: { kind: 'public' },
        limits: { perUser: 5, group: 'own' },
      });
    expect(own).toMatchObject({ status: 201 });
    const other = await rain.createActivity({ audience: { kind: 'people', userIds: [id, friend] } });
    const hard = await rain.createActivity({
      audience: { kind: 'password', password: 'open' },
      packetCount: 1,
    });
    await rain.user(id).post('/v1/ticket-keys', {});
    await rain.user(id).post('/v1/me/events/tickets');
    await rain.tap(hard, id, { headers: { 'packet-password': 'x' } });
    await rain.win(hard, friend, { headers: { 'packet-password': 'open' } });
    await rain
      .user(id)
      .post(`/v1/activities/${hard}/waitlist`, undefined, { headers: { 'packet-password': 'open' } });
    for (const activityId of [own.body.id, other])
      for (const user of [id, friend]) await rain.win(activityId, user);
    for (const activityId of [own.body.id, other, hard]) await rain.settled(activityId);
    // The rain whose packets others have won stays open, and this person waits for one.
    for (const activityId of [own.body.id, other])
      expect((await rain.closeActivity(activityId)).status).toBe(200);
    await pushed(rain);
    await waitFor(
      async () => (await rain.operator().get(`/v1/users/${id}/standing`)).body.underWay.length === 1,
      { what: 'a Redis that has forgotten the rains' },
    );
    expect(await ask(id)).toMatchObject({
      status: 409,
      body: { code: 'erasure.under_way', detail: expect.stringContaining('balance CNY') },
    });
    await payOut(id, channelId);
    await untilAtRest(id);
    await pushed(rain);

    const asked = await ask(id);
    expect(asked).toMatchObject({
      status: 202,
      body: { action: 'user.erase', subject: `user:${id}`, amount: '0.00' },
    });
    const approve = `/v1/approvals/${asked.body.id}/approve`;
    expect(await rain.operator().post(approve)).toMatchObject({
      status: 403,
      body: { code: 'approval.own' },
    });
    expect(await rain.operator('second').post(approve)).toMatchObject({ status: 200 });
    expect(await ask(id)).toMatchObject({ status: 409, body: { code: 'erasure.requested' } });
    const [requested] = (await rain.operator().get('/v1/erasures')).body.items;
    expect(requested).toMatchObject({
      status: 'requested',
      userId: id,
      pseudonym: null,
      requestedBy: 'second',
    });

    const secrets = [rain.api.output, rain.worker!.output].join('\n');
    expect(secrets).not.toContain(id);
    expect((await columnsWith(db, id)).length).toBeGreaterThan(15);
    expect(await keysWith(rain.redis, id)).toContainEqual(expect.stringMatching(/:waitlist$/));
    await rain.verify();
    expect(await erase()).toContain('Forgotten: 1.');

    const done = (await rain.operator().get(`/v1/erasures/${requested.id}`)).body;
    expect(done).toMatchObject({
      status: 'done',
      userId: null,
      pseudonym: expect.stringMatching(/^erased-[0-9a-f]{32}$/),
    });
    expect(await columnsWith(db, id)).toEqual([]);
    expect((await keysWith(rain.redis, id)).filter((key) => /:(waitlist|away)$/.test(key))).toEqual([]);
    let keys: string[] = [];
    await waitFor(async () => (keys = await keysWith(rain.redis, id)).length === 0, {
      timeoutMs: EXPIRES_WITHIN_MS,
      what: `keys of Redis to go: ${keys.join()}`,
    });
    const answers = await Promise.all(
      [
        ...[
          '/v1/audit-log?limit=100',
          '/v1/wallets?limit=100',
          '/v1/payouts?limit=100',
          '/v1/approvals?status=approved&limit=100',
        ],
        ...[`/v1/activities/${other}`, `/v1/activities/${other}/grabs`, `/v1/activities/${own.body.id}`],
        ...['claims', 'results', 'payouts', 'ledger'].flatMap((file) =>
          [own.body.id, other].map((activity) => `/v1/activities/${activity}/export/${file}`),
        ),
      ].map(async (path) => [path, await textOf(path)]),
    );
    expect(answers.filter(([, text]) => text!.includes(id)).map(([path]) => path)).toEqual([]);
    expect(answers.filter(([, text]) => text!.includes(done.pseudonym)).length).toBeGreaterThan(4);

    expect(await ask(done.pseudonym)).toMatchObject({ status: 409, body: { code: 'erasure.pseudonym' } });
    const next = await rain.createActivity();
    await rain.win(next, id);
    await rain.settled(next);
    const entries = (await rain.user(id).get('/v1/me/wallet/entries')).body.items;
    expect(entries).toHaveLength(1);
    await payOut(id, channelId);
    await rain.verify();
    await receiver.stop();
  });
});
