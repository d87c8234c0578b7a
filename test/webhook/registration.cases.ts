import { randomUUID } from 'node:crypto';
import type { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { deadLettersOf, publish, register } from './support';

const STRICT = { WEBHOOK_PRIVATE_ADDRESSES: 'false' };

describe('webhooks at private addresses that are not allowed', () => {
  let receiver: WebhookReceiver;
  let operator: Caller;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const { url } = await rain.startAnother('main.js', STRICT);
    operator = rain.operator('operator', url);
  });

  afterAll(() => receiver.stop());

  it.each([
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:127.0.0.1]/hook',
    'https://[fd00::1]/hook',
    'http://example.com/hook',
    'https://user:password@example.com/hook',
    'file:///etc/passwd',
    'no url',
  ])('are refused: %s', async (url) => {
    const { status, body } = await operator.post('/v1/webhooks', { url });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'request.invalid', errors: [{ field: 'url', message: expect.stringMatching(/^must/) }] },
    });
  });

  it('are never connected to, by a name or by an address that was written past the API', async () => {
    const named = await register(rain, `https://localhost:${receiver.port}/by-name`);
    const [literal] = await rain.sql<{ id: string; secret: string }>(
      `insert into webhook (url, events, secret) values ($1, '{wallet.credited}', 'whsec_AAAA') returning id, secret`,
      [`${receiver.url}/by-address`],
    );
    await rain.startWorker(STRICT);
    await publish(rain, 1);
    for (const webhook of [named, literal!]) {
      await waitFor(async () => (await deadLettersOf(rain, webhook)).length === 1, { what: 'a dead letter' });
      expect(await deadLettersOf(rain, webhook)).toMatchObject([
        { lastError: 'The address is not a public one.', attempts: 3 },
      ]);
    }
    expect(receiver.connections).toBe(0);
    await rain.worker!.stop();
  });
});

const url = 'https://partner.example/hongbao';

describe('the registration of webhooks', () => {
  it('is for operators', async () => {
    const { id } = await register(rain, url);
    const user = rain.user('ann');
    const answers = await Promise.all([
      user.post('/v1/webhooks', { url }),
      user.get('/v1/webhooks'),
      user.delete(`/v1/webhooks/${id}`),
      user.get(`/v1/webhooks/${id}/dead-letters`),
      user.post(`/v1/webhooks/${id}/dead-letters/replay`, {}),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [403, 'auth.forbidden']),
    );
  });

  it('returns the secret only to the operator who registers: no list, no log and no stored answer contains it', async () => {
    const key = randomUUID();
    const body = { url, events: ['wallet.credited'], description: 'A shop' };
    const first = await rain.operator().post('/v1/webhooks', body, { key });
    const again = await rain.operator().post('/v1/webhooks', body, { key });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const { secret, ...webhook } = first.body;
    expect(webhook).toEqual({ ...body, id: expect.any(String), createdAt: expect.stringMatching(/Z$/) });
    expect((await rain.operator().get('/v1/webhooks')).body).toEqual({ items: [webhook] });

    const kept = await rain.sql('select * from idempotency_key');
    const deeds = await rain.operator().get(`/v1/audit-log?subject=webhook:${webhook.id}`);
    expect(deeds.body.items).toMatchObject([{ action: 'webhook.create', subject: `webhook:${webhook.id}` }]);
    const { output } = rain.api;
    for (const text of [JSON.stringify(kept), JSON.stringify(deeds.body), output]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret.slice(6), 'base64').toString('hex'));
    }
  });

  it('gives each webhook its own secret, and records who did what', async () => {
    const [one, two] = [await register(rain, url), await register(rain, url)];
    expect(one.secret).not.toBe(two.secret);
    await rain.operator('op9').post(`/v1/webhooks/${one.id}/dead-letters/replay`, {});
    await rain.operator('op9').delete(`/v1/webhooks/${one.id}`);
    const { body } = await rain.operator().get(`/v1/audit-log?subject=webhook:${one.id}`);
    expect(body.items).toMatchObject([
      { action: 'webhook.delete', actorId: 'op9', before: { url }, after: {} },
      { action: 'webhook.replay', actorId: 'op9', detail: { letterIds: [] } },
      { action: 'webhook.create', actorId: 'operator', before: {}, after: { url } },
    ]);
    expect((await rain.operator().get(`/v1/webhooks/${one.id}/dead-letters`)).status).toBe(404);
  });

  it('is changed in its events and description, which the audit log records once', async () => {
    const { id } = await register(rain, url, ['wallet.credited']);
    const change = (body: object, which = id) => rain.operator('op9').patch(`/v1/webhooks/${which}`, body);
    const shown = async () => (await rain.operator().get('/v1/webhooks')).body.items[0];
    expect((await change({ description: 'A shop' })).body).toEqual(await shown());
    expect(await shown()).toMatchObject({ url, events: ['wallet.credited'], description: 'A shop' });
    expect((await change({ events: ['activity.closed'], description: null })).body).toMatchObject({
      events: ['activity.closed'],
      description: null,
    });
    await change({ events: ['activity.closed'] });
    await change({});
    for (const events of [[], ['no.event'], ['activity.closed', 'activity.closed'], 'all'])
      expect((await change({ events })).body.errors).toMatchObject([{ field: 'events' }]);
    expect((await change({ url })).status).toBe(400);
    expect((await change({}, '999999')).status).toBe(404);
    const { body } = await rain.operator().get(`/v1/audit-log?subject=webhook:${id}`);
    expect(body.items.map(({ action }: { action: string }) => action)).toEqual([
      'webhook.change',
      'webhook.change',
      'webhook.create',
    ]);
    expect(body.items[1]).toMatchObject({
      actorId: 'op9',
      before: { events: ['wallet.credited'], description: null },
      after: { events: ['wallet.credited'], description: 'A shop' },
    });
  });

  it('stops at twenty, however many arrive at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => rain.operator().post('/v1/webhooks', { url })),
    );
    const codes = answers.filter(({ status }) => status !== 201).map(({ body }) => body.code);
    expect(codes).toEqual(Array.from({ length: 10 }, () => 'webhook.too_many'));
    const { items } = (await rain.operator().get('/v1/webhooks')).body;
    expect(items).toHaveLength(20);
    await rain.operator().delete(`/v1/webhooks/${items[0].id}`);
    await register(rain, url);
  });
});

describe('a registration that makes no sense', () => {
  it.each([
    [{}, 'url'],
    [{ url: 7 }, 'url'],
    [{ url, events: [] }, 'events'],
    [{ url, events: 'wallet.credited' }, 'events'],
    [{ url, events: ['wallet.emptied'] }, 'events'],
    [{ url, events: ['wallet.credited', 'wallet.credited'] }, 'events'],
    [{ url, events: null }, 'events'],
    [{ url, description: '' }, 'description'],
    [{ url, secret: 'mine' }, 'secret'],
  ])('is refused: %j', async (body, field) => {
    const { status, body: problem } = await rain.operator().post('/v1/webhooks', body);
    expect([status, problem.errors[0].field]).toEqual([400, field]);
  });
});
