import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiDocument } from '../harness/api-document';
import { waitFor } from '../harness/engines';
import { localhostCertificate } from '../harness/localhost-certificate';
import { rain } from '../harness/shared-installation';
import { answer, Holding, type Received, WebhookReceiver } from '../harness/webhook-receiver';
import { deadLettersOf, known, publish, pushed, register } from './support';

let receiver: WebhookReceiver;

const received = (path: string, count: number) =>
  waitFor(() => receiver.at(path).length >= count, {
    what: `${count} messages at ${path}, of which ${receiver.at(path).length} came`,
  });

/** Verifies a signature like a receiver that knows only the documentation of this project. */
function verifies({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
  const age = Date.now() / 1_000 - Number(at);
  const expected = createHmac('sha256', key)
    .update(`${id as string}.${at as string}.${text}`)
    .digest('base64');
  return /^\d+$/.test(String(at)) && Math.abs(age) < 300 && signature === `v1,${expected}`;
}

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});

afterAll(() => receiver.stop());

describe('a webhook', () => {
  beforeAll(() => rain.startWorker({ WEBHOOK_TIMEOUT_MS: '500' }));

  afterAll(() => rain.worker!.stop());

  async function webhookAt(path: string, ...events: Parameters<typeof register>[2] & object) {
    const webhook = await register(rain, receiver.url + path, events.length > 0 ? events : undefined);
    await known(rain, webhook);
    return webhook;
  }

  it('receives the events of a whole rain without other listeners, signed with its secret', async () => {
    const { secret } = await webhookAt('/rain');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const activityId = await rain.createActivity({ packetCount: 1, totalAmount: '1.00' });
    await waitFor(() => receiver.at('/rain').length >= 1, { what: 'the opening' });
    const { body: grab } = await rain.user('ann').post(`/v1/activities/${activityId}/grabs`);
    await received('/rain', 4);
    await rain.operator().post(`/v1/activities/${activityId}/close`);
    await received('/rain', 5);

    const always = { activityId, messageId: expect.any(String), at: expect.stringMatching(/Z$/) };
    const won = { ...always, redPacketId: grab.redPacketId, amount: '1.00', currency: 'CNY', userId: 'ann' };
    const told = new Map(receiver.at('/rain').map(({ body }) => [body.type, body.data]));
    expect(Object.fromEntries(told)).toEqual({
      'activity.opened': always,
      'packet.confirmed': won,
      'wallet.credited': won,
      'activity.sold-out': always,
      'activity.closed': always,
    });
    const document = await ApiDocument.read(rain.url);
    for (const message of receiver.at('/rain')) {
      expect(document!.undescribedMessage(message.body)).toBeUndefined();
      expect(verifies(message, secret)).toBe(true);
      expect(verifies({ ...message, text: `${message.text} ` }, secret)).toBe(false);
      expect(message.headers['content-type']).toBe('application/json');
      expect(message.headers['webhook-id']).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(message.headers['webhook-id']).toBe(message.body.data.messageId);
      expect(message.body.timestamp).toBe(message.body.data.at);
    }
    expect(new Set(receiver.idsAt('/rain')).size).toBe(5);
  });

  it('receives the outcomes of payouts, as the document describes them', async () => {
    await webhookAt('/payouts', 'payout.paid', 'payout.refused', 'payout.needs-user', 'payout.returned');
    const profile = { smallest: '1.00' };
    const { id: channelId } = (await rain.operator().post('/v1/payout-channels', { name: 'Shop', profile }))
      .body;
    await rain.operator().post('/v1/wallets/payee/deposits', { amount: '9.00' });
    const outcomes: object[] = [];
    for (const more of [{ outcome: 'refused' }, { outcome: 'needs-user', action: 'Confirm it.' }]) {
      const { body } = await rain.user('payee').post('/v1/me/payouts', { amount: '2.00', channelId });
      outcomes.push({ id: body.id, ...more });
    }
    const { id } = outcomes[1] as { id: string };
    outcomes.push({ id, outcome: 'paid' }, { id, outcome: 'returned' });
    await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
    await received('/payouts', 4);
    const messages = receiver.at('/payouts').map(({ body }) => body);
    expect(new Set(messages.map(({ type }) => type)).size).toBe(4);
    const document = await ApiDocument.read(rain.url);
    expect(messages.map((message) => document!.undescribedMessage(message))).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('gets a message again, with the same id and body, as long as it answers 500', async () => {
    const { secret } = await webhookAt('/recovers');
    receiver.let('/recovers', (response, n) => response.writeHead(n < 3 ? 500 : 200).end());
    const [id] = await publish(rain, 1, { prefix: 'recovers' });
    await received('/recovers', 3);
    expect(receiver.idsAt('/recovers')).toEqual([id, id, id]);
    expect(new Set(receiver.at('/recovers').map(({ text }) => text)).size).toBe(1);
    expect(receiver.at('/recovers').every((message) => verifies(message, secret))).toBe(true);
  });

  it('shows the content and the state of a message, and the result of each attempt, until after its delivery', async () => {
    const webhook = await webhookAt('/told');
    receiver.let('/told', (response, n) => response.writeHead(n <= 3 ? 503 : 202).end());
    const [messageId] = await publish(rain, 1, { prefix: 'told' });
    const read = (id: string) => rain.as('support').get(`/v1/webhooks/${webhook.id}/messages/${id}`);
    const is = (state: string) =>
      waitFor(async () => (await read(messageId!)).body.state === state, {
        what: `a message that is ${state}`,
      });
    await is('dead');
    const listed = async () =>
      (await rain.as('support').get(`/v1/webhooks/${webhook.id}/deliveries`)).body.items;
    await waitFor(async () => (await listed()).length === 0, { what: 'no delivery' });
    const failed = { at: expect.stringMatching(/Z$/), tookMs: expect.any(Number), result: 'answered 503' };
    const { body: dead } = await read(messageId!);
    expect(dead).toEqual({
      messageId,
      event: 'wallet.credited',
      state: 'dead',
      attempts: 3,
      deadLetterId: expect.any(String),
      body: receiver.at('/told')[0]!.text,
      tries: [failed, failed, failed],
    });
    await rain
      .operator()
      .post(`/v1/webhooks/${webhook.id}/dead-letters/replay`, { ids: [dead.deadLetterId] });
    await is('delivered');
    const { body: delivered } = await read(messageId!);
    expect(delivered).toMatchObject({ deadLetterId: null, body: dead.body });
    expect(delivered.tries).toEqual([...dead.tries, { ...failed, result: 'answered 202' }]);
    for (const unknown of ['nothing', 'a%20b', 'a.b'])
      expect((await read(unknown)).body.code).toBe('webhook.message_not_found');
  });

  it('receives other events once it was changed', async () => {
    const webhook = await webhookAt('/changed', 'wallet.credited');
    const { body } = await rain
      .operator()
      .patch(`/v1/webhooks/${webhook.id}`, { events: ['packet.confirmed'], description: 'Changed' });
    expect(body).toMatchObject({ id: webhook.id, events: ['packet.confirmed'], description: 'Changed' });
    let round = 0;
    const wanted = async () => {
      await publish(rain, 1, { event: 'packet.confirmed', prefix: `wanted${round++}` });
      return receiver.at('/changed').some(({ body: { type } }) => type === 'packet.confirmed');
    };
    await waitFor(wanted, { what: 'the event that is wanted now' });
    await publish(rain, 1, { prefix: 'unwanted' });
    const [last] = await publish(rain, 1, { event: 'packet.confirmed', prefix: 'last' });
    await waitFor(() => receiver.idsAt('/changed').includes(last!), { what: 'a later event' });
    expect(receiver.idsAt('/changed')).not.toContain('unwanted_0');
  });

  it('leaves a dead letter when it fails every attempt, and a replay delivers it', async () => {
    const webhook = await webhookAt('/fails');
    receiver.let('/fails', (response, n) => response.writeHead(n <= 6 ? 503 : 200).end());
    const [messageId] = await publish(rain, 1, { prefix: 'fails' });
    const dead = (attempts: number) =>
      waitFor(async () => (await deadLettersOf(rain, webhook))[0]?.attempts === attempts, {
        what: 'a dead letter',
      });
    await dead(3);
    expect(receiver.at('/fails')).toHaveLength(3);
    const letter = { messageId, event: 'wallet.credited', attempts: 3, lastError: 'answered 503' };
    const [{ id }] = (await deadLettersOf(rain, webhook)) as [{ id: string }];
    expect(await deadLettersOf(rain, webhook)).toEqual([
      { id, ...letter, updatedAt: expect.stringMatching(/Z$/) },
    ]);

    const replay = async (body: object) =>
      (await rain.operator().post(`/v1/webhooks/${webhook.id}/dead-letters/replay`, body)).body;
    expect(await replay({ ids: ['999'] })).toEqual({ replayed: 0 });
    expect(await replay({ ids: [id] })).toEqual({ replayed: 1 });
    await dead(6);
    expect(await replay({})).toEqual({ replayed: 1 });
    await received('/fails', 7);
    expect(new Set(receiver.idsAt('/fails'))).toEqual(new Set([messageId]));
    const undelivered = () => rain.sql('select from undelivered_message where webhook_id = $1', [webhook.id]);
    await waitFor(async () => (await undelivered()).length === 0, { what: 'nothing to be undelivered' });
    expect(await deadLettersOf(rain, webhook)).toEqual([]);
  });

  it('does not accept a message by a redirect, which is not followed', async () => {
    const webhook = await webhookAt('/redirects');
    const location = `${receiver.url}/elsewhere`;
    receiver.let('/redirects', (response, n) =>
      response.writeHead([301, 302, 308][n - 1]!, { location }).end(),
    );
    await publish(rain, 1, { prefix: 'redirects' });
    await waitFor(async () => (await deadLettersOf(rain, webhook)).length === 1, { what: 'a dead letter' });
    expect(await deadLettersOf(rain, webhook)).toMatchObject([{ lastError: 'answered 308', attempts: 3 }]);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('gets no second attempt when it answers 410', async () => {
    const webhook = await webhookAt('/gone');
    receiver.let('/gone', answer(410));
    await publish(rain, 1, { prefix: 'gone' });
    await waitFor(async () => (await deadLettersOf(rain, webhook)).length === 1, { what: 'a dead letter' });
    expect(await deadLettersOf(rain, webhook)).toMatchObject([{ lastError: 'answered 410', attempts: 1 }]);
    expect(receiver.at('/gone')).toHaveLength(1);
  });

  it.each([
    ['no answer', '/silent', () => undefined],
    [
      'an answer that never ends',
      '/dribbles',
      (response: import('node:http').ServerResponse) => void response.writeHead(200).write('x'),
    ],
  ])('does not accept a message if it gives %s in time', async (_, path, behaviour) => {
    const webhook = await webhookAt(path);
    receiver.let(path, behaviour);
    await publish(rain, 1, { prefix: path.slice(1) });
    await waitFor(async () => (await deadLettersOf(rain, webhook)).length === 1, { what: 'a dead letter' });
    expect(await deadLettersOf(rain, webhook)).toMatchObject([{ lastError: 'did not answer in time' }]);
  });

  it('may answer with more than is read', async () => {
    const webhook = await webhookAt('/talks');
    receiver.let('/talks', (response) => {
      response.writeHead(200);
      const talking = setInterval(() => response.write('x'.repeat(1_024)), 1);
      response.once('close', () => clearInterval(talking));
    });
    const ids = await publish(rain, 3, { prefix: 'talks' });
    await received('/talks', 3);
    const completed = () => rain.redis.zcard(rain.queueKey(`webhook-${webhook.id}`, 'completed'));
    await waitFor(async () => (await completed()) === 3, { what: 'three deliveries' });
    expect(receiver.idsAt('/talks').sort()).toEqual(ids);
  });

  it('does not accept a message if its interim answers never seem to end', async () => {
    const sendInterim = (response: ServerResponse, count: number) => {
      for (let i = 0; i < count; i++) response.writeProcessing();
    };
    receiver.let('/some-interim', (response) => {
      sendInterim(response, 100);
      response.writeHead(204).end();
    });
    receiver.let('/endless-interim', (response) => sendInterim(response, 101));
    const some = await webhookAt('/some-interim');
    const endless = await webhookAt('/endless-interim');
    await publish(rain, 1, { prefix: 'interim' });
    await waitFor(async () => (await deadLettersOf(rain, endless)).length === 1, { what: 'the dead letter' });
    expect(await deadLettersOf(rain, endless)).toMatchObject([{ attempts: 3, lastError: 'EndlessInterim' }]);
    await received('/some-interim', 1);
    expect(await deadLettersOf(rain, some)).toEqual([]);
  });

  it('receives only the events that it asked for', async () => {
    const webhook = await webhookAt('/choosy', 'activity.closed');
    await publish(rain, 5, { prefix: 'unwanted' });
    await pushed(rain);
    const ids = await publish(rain, 5, { prefix: 'wanted', event: 'activity.closed' });
    await received('/choosy', 5);
    expect(receiver.idsAt('/choosy').sort()).toEqual(ids);
    expect(await rain.redis.get(rain.queueKey(`webhook-${webhook.id}`, 'id'))).toBe('5');
  });

  it('gets nothing more once it is deleted, and leaves nothing behind', async () => {
    const webhook = await webhookAt('/deleted');
    const holding = new Holding();
    receiver.let('/deleted', holding.behaviour);
    await publish(rain, 20, { prefix: 'deleted' });
    await waitFor(() => holding.unanswered.length === 4, { what: 'deliveries under way' });
    expect((await rain.operator().delete(`/v1/webhooks/${webhook.id}`)).status).toBe(204);
    expect((await rain.operator().delete(`/v1/webhooks/${webhook.id}`)).status).toBe(404);
    const [row] = await rain.sql<{ secret: null }>('select secret from webhook where id = $1', [webhook.id]);
    expect(row).toEqual({ secret: null });
    await rain.sql(`update webhook set deleted_at = now() - interval '1 hour' where id = $1`, [webhook.id]);
    const left = async () => [
      ...(await rain.sql('select id from webhook where id = $1', [webhook.id])),
      ...(await rain.redis.keys(rain.queueKey(`webhook-${webhook.id}`, '*'))),
    ];
    await waitFor(async () => (await left()).length === 0, { what: 'the end of the webhook' });
    holding.release();
  });
});

describe('a webhook', () => {
  const PATIENT = { WEBHOOK_TIMEOUT_MS: '60000' };

  afterEach(() => rain.worker!.stop());

  it('does not keep another webhook waiting if it hangs', async () => {
    const holding = new Holding();
    receiver.let('/hangs', holding.behaviour);
    await register(rain, `${receiver.url}/hangs`);
    await register(rain, `${receiver.url}/fine`);
    await rain.startWorker(PATIENT);
    const ids = await publish(rain, 100, { prefix: 'hangs' });
    await received('/fine', 100);
    expect(receiver.idsAt('/fine').sort()).toEqual(ids.sort());
    await waitFor(() => holding.unanswered.length >= 4, { what: 'deliveries that hang' });
    expect(receiver.at('/hangs')).toHaveLength(4);
    holding.release();
    await received('/hangs', 100);
  });

  it('gets the messages that a worker was sending when it was killed', async () => {
    const holding = new Holding();
    receiver.let('/killed', holding.behaviour);
    await register(rain, `${receiver.url}/killed`);
    await rain.startWorker(PATIENT);
    const ids = await publish(rain, 10, { prefix: 'killed' });
    await pushed(rain);
    await waitFor(() => holding.unanswered.length === 4, { what: 'deliveries under way' });
    process.kill(rain.worker!.pid, 'SIGKILL');
    await rain.worker!.ended;
    holding.release();
    await rain.startWorker(PATIENT);
    await received('/killed', 14);
    const answered = receiver.idsAt('/killed').slice(4);
    expect(answered.sort()).toEqual(ids.sort());
  });

  it('gets a message once that was pushed twice because its worker died after the first push', async () => {
    const { id } = await register(rain, `${receiver.url}/once`);
    const { program } = await rain.startAnother('worker.js', { FAILPOINTS: 'push.after-push=kill@1' });
    const ids = await publish(rain, 10, { prefix: 'once' });
    await program.ended;
    await rain.startWorker();
    await pushed(rain);
    const idle = async () =>
      Object.values(await countsOf(id)).every((count) => count === 0) && receiver.at('/once').length >= 10;
    await waitFor(idle, { what: 'the end of all deliveries' });
    expect(receiver.idsAt('/once').sort()).toEqual(ids.sort());
  });

  const countsOf = async (id: string) => ({
    waiting: await rain.redis.llen(rain.queueKey(`webhook-${id}`, 'wait')),
    active: await rain.redis.llen(rain.queueKey(`webhook-${id}`, 'active')),
    delayed: await rain.redis.zcard(rain.queueKey(`webhook-${id}`, 'delayed')),
  });

  it('gets all messages even if more are waiting than Redis should hold', async () => {
    const holding = new Holding();
    receiver.let('/slow', holding.behaviour);
    const { id } = await register(rain, `${receiver.url}/slow`);
    await rain.startWorker({ ...PATIENT, WEBHOOK_BACKLOG_MAX: '10' });
    const ids = await publish(rain, 60, { prefix: 'slow' });
    await pushed(rain);
    const parked = () => rain.sql('select from undelivered_message where webhook_id = $1', [id]);
    await waitFor(async () => (await parked()).length > 0, { what: 'messages that wait in Postgres' });
    const { waiting, delayed } = await countsOf(id);
    expect(waiting + delayed).toBeLessThanOrEqual(10);
    holding.release();
    await waitFor(async () => (await parked()).length === 0, { what: 'nothing to wait in Postgres' });
    await waitFor(() => new Set(receiver.idsAt('/slow')).size === 60, { what: 'all messages' });
    expect(receiver.idsAt('/slow').sort()).toEqual(ids.sort());
  });
});

describe('a webhook with TLS', () => {
  let directory: string;
  let secure: WebhookReceiver;

  beforeAll(async () => {
    secure = await WebhookReceiver.start(localhostCertificate);
    directory = mkdtempSync(join(tmpdir(), 'hongbao-tls-'));
  });

  afterAll(async () => {
    await rain.worker!.stop();
    await secure.stop();
    rmSync(directory, { recursive: true });
  });

  it('receives events if its certificate is trusted, and nothing otherwise', async () => {
    const webhook = await register(rain, `${secure.url}/tls`);
    await rain.startWorker();
    await publish(rain, 1, { prefix: 'untrusted' });
    await waitFor(async () => (await deadLettersOf(rain, webhook)).length === 1, { what: 'a dead letter' });
    expect(await deadLettersOf(rain, webhook)).toMatchObject([{ lastError: expect.stringMatching(/CERT/) }]);
    expect(secure.at('/tls')).toEqual([]);
    await rain.worker!.stop();

    const file = join(directory, 'ca.pem');
    writeFileSync(file, localhostCertificate.cert);
    await rain.startWorker({ NODE_EXTRA_CA_CERTS: file });
    const ids = await publish(rain, 3, { prefix: 'trusted' });
    await waitFor(() => secure.at('/tls').length >= 3, { what: 'three messages' });
    expect(secure.idsAt('/tls').sort()).toEqual(ids);
  });
});
