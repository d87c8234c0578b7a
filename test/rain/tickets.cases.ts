import { generateKeyPairSync } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { call } from '../harness/client';
import { waitFor } from '../harness/engines';
import { GatewayClient } from '../harness/gateway-client';
import { rain } from '../harness/shared-installation';
import { TcpProxy } from '../harness/tcp-proxy';
import { createTicketKey, inAnHour, signTicket, ticketFor, type TicketKey } from '../harness/ticket';

describe('an activity that asks for tickets', () => {
  const create = (sponsorId: string, packetCount = 50) =>
    rain.createActivity({ sponsorId, packetCount, admission: 'ticket' });

  type Way = (id: string, user: string, ticket?: string) => Promise<{ status: number; body: Answered }>;
  type Answered = { code: string; reason?: string };

  const asked =
    (path: string): Way =>
    (id, user, ticket) =>
      call(rain.url, rain.tokenOf(user), 'POST', `/v1/activities/${id}/${path}`, {
        headers: ticket === undefined ? {} : { ticket },
      });
  const tap = asked('grabs');
  const WAYS: Record<string, Way> = {
    'the fast lane': tap,
    'a request that the fast lane leaves to Fastify': asked('grabs?'),
    'the gateway': async (id, user, ticket) => {
      const client = await GatewayClient.connect(rain.url, rain.tokenOf(user));
      return client.ask({ op: 'grab', activityId: id, ticket }).finally(() => client.close());
    },
    'the waiting list': asked('waitlist'),
  };

  const keysOf = (sponsorId: string): Promise<TicketKey> => createTicketKey(rain, sponsorId);

  /** Makes tickets for `user` that must be refused on every path. */
  function forgeries(id: string, user: string, { id: kid, secret }: TicketKey, foreign: TicketKey) {
    const claims = { activity: id, sub: user, exp: inAnHour() };
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const right = signTicket(secret, claims);
    const unsigned = `${signTicket(secret, claims, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`;
    return {
      'is not a token': 'x',
      'is empty': '',
      'is signed by nobody': unsigned,
      'is signed by HMAC and says that nobody signed': signTicket(secret, claims, { alg: 'none' }),
      'is signed by HMAC and says RS256': signTicket(secret, claims, { alg: 'RS256' }),
      'is signed by RS256': createSigner({ key: privateKey, algorithm: 'RS256' })(claims),
      'is signed by HS384': createSigner({ key: secret, algorithm: 'HS384' })(claims),
      'is signed by the text of the secret': createSigner({ key: secret, algorithm: 'HS256' })(claims),
      'is signed by the key of another sponsor': signTicket(foreign.secret, claims),
      'names the key of another sponsor': signTicket(foreign.secret, claims, {
        alg: 'HS256',
        kid: foreign.id,
      }),
      'names another key than the one that signed': signTicket(secret, claims, {
        alg: 'HS256',
        kid: `${kid}0`,
      }),
      'is for another activity': signTicket(secret, { ...claims, activity: `${id}0` }),
      'is for a number': signTicket(secret, { ...claims, activity: Number(id) }),
      'is for another user': signTicket(secret, { ...claims, sub: `${user}x` }),
      'has ended': signTicket(secret, { ...claims, exp: inAnHour() - 7_200 }),
      'never ends': signTicket(secret, { activity: id, sub: user }),
      'ends in the year 9999': signTicket(secret, { ...claims, exp: 253_402_300_799 }),
      'has an expiry in words': signTicket(secret, { ...claims, exp: 'tomorrow' }),
      'has an expiry in milliseconds': signTicket(secret, { ...claims, exp: claims.exp * 1_000 }),
      'names nobody': signTicket(secret, { activity: id, exp: claims.exp }),
      'is too long': signTicket(secret, { ...claims, pad: 'x'.repeat(500) }),
      'holds something else': signTicket(secret, { ...claims, hold: 'yes' }),
      'has one changed character': right.replace(/\.[^.](?=[^.]*$)/, (first) =>
        first === '.A' ? '.B' : '.A',
      ),
    };
  }

  it.each(Object.entries(WAYS))('admits by %s only users with a ticket of their own', async (name, way) => {
    const sponsorId = `gate-${name.replace(/\W/g, '-')}`;
    const [key, foreign] = [await keysOf(sponsorId), await keysOf(`${sponsorId}-other`)];
    const id = await create(sponsorId);
    expect(await way(id, 'ann', undefined)).toMatchObject({
      status: 403,
      body: { code: 'grab.ticket_required' },
    });
    for (const [fault, ticket] of Object.entries(forgeries(id, 'ann', key, foreign)))
      expect({ fault, ...(await way(id, 'ann', ticket)) }).toMatchObject({
        fault,
        status: 403,
        body: { code: 'grab.ticket_invalid' },
      });
    const admitted = name === 'the waiting list' ? 'waitlist.nothing_to_wait_for' : '0';
    expect((await way(id, 'ann', ticketFor(key, id, 'ann'))).body.code).toBe(admitted);
    const claims = { activity: id, sub: 'bob', exp: inAnHour() };
    const named = signTicket(key.secret, claims, { alg: 'HS256', kid: key.id });
    expect((await way(id, 'bob', named)).body.code).toBe(admitted);
    expect((await way(id, 'cem', named)).body.code).toBe('grab.ticket_invalid');
  });

  it('names the fault of a ticket that is valid for more than 366 days', async () => {
    const key = await keysOf('eternal');
    const id = await create('eternal');
    const in366Days = inAnHour() - 3_600 + 366 * 86_400;
    const answer = await tap(id, 'ann', ticketFor(key, id, 'ann', { exp: in366Days + 3_600 }));
    expect(answer).toMatchObject({
      status: 403,
      body: {
        code: 'grab.ticket_invalid',
        detail: 'Its exp must be at most 366 days from now, in seconds since 1970.',
      },
    });
    expect((await tap(id, 'ann', ticketFor(key, id, 'ann', { exp: in366Days }))).body.code).toBe('0');
  });

  it('accepts tickets of two keys while both are valid, and none of a deleted key, even if it was checked before', async () => {
    const former = await keysOf('turner');
    const id = await create('turner');
    const old = ticketFor(former, id, 'ann');
    expect((await tap(id, 'ann', old)).body.code).toBe('0');
    const later = await keysOf('turner');
    const refused = ticketFor(later, id, 'bob');
    await waitFor(async () => (await tap(id, 'bob', refused)).body.code === '0', { what: 'the new key' });
    expect((await tap(id, 'ann', old)).body.code).toBe('1');
    expect((await rain.user('turner').delete(`/v1/ticket-keys/${former.id}`)).status).toBe(204);
    await waitFor(async () => (await tap(id, 'ann', old)).body.code === 'grab.ticket_invalid', {
      what: 'the end of the deleted key',
    });
    expect((await tap(id, 'ann', ticketFor(later, id, 'ann'))).body.code).toBe('1');
  });

  it('is guarded by the last known keys while Postgres or Redis is down, and is closed to a process that has never seen it', async () => {
    const key = await keysOf('alone');
    const id = await create('alone', 1);
    expect((await tap(id, 'first', ticketFor(key, id, 'first'))).body.code).toBe('0');
    const postgres = await TcpProxy.before(rain.database.appUrl);
    const redis = await TcpProxy.before(rain.redisEngine.url);
    const settings = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const { program, url } = await rain.startAnother('main.js', settings);
    const answer = async (activity: string, ticket: string) => {
      const path = `/v1/activities/${activity}/grabs`;
      return (await call(url, rain.tokenOf('ann'), 'POST', path, { headers: { ticket } })).body;
    };
    const [right, wrong] = [ticketFor(key, id, 'ann'), ticketFor(key, id, 'bob')];

    await postgres.proxy.stop();
    const unmet = await create('alone');
    expect(await answer(id, right)).toEqual({ code: '-1', reason: 'sold-out' });
    expect(await answer(id, wrong)).toMatchObject({ code: 'grab.ticket_invalid' });
    expect(await answer(unmet, ticketFor(key, unmet, 'ann'))).toMatchObject({ status: 503 });

    await redis.proxy.stop();
    expect(await answer(id, right)).toMatchObject({ code: 'grab.unavailable' });
    expect(await answer(id, wrong)).toMatchObject({ code: 'grab.ticket_invalid' });
    await program.stop();
  });

  it('says so in its view and its template; other activities are open to all, and ignore tickets', async () => {
    const view = async (id: string) => (await rain.operator().get(`/v1/activities/${id}`)).body.admission;
    const id = await create('teller');
    expect(await view(id)).toBe('ticket');
    expect((await rain.user('teller').get(`/v1/activities/${id}/template`)).body.admission).toBe('ticket');
    const open = await rain.createActivity({ sponsorId: 'teller' });
    expect(await view(open)).toBe('open');
    expect((await tap(open, 'ann', 'x')).body.code).toBe('0');
  });
});

describe('a ticket that asks to hold the win', () => {
  const settlementOf = async (id: string, user: string) =>
    (await rain.user(user).get(`/v1/me/packets?activityId=${id}`)).body.items[0].settlement;

  it('lets the user win and leaves the claim unpaid until staff release it; staff cannot hold a paid claim', async () => {
    const key = await createTicketKey(rain, 'holder');
    const id = await rain.createActivity({ sponsorId: 'holder', packetCount: 2, admission: 'ticket' });
    const tap = (user: string, more = {}) =>
      rain.tap(id, user, { headers: { ticket: ticketFor(key, id, user, more) } });
    const won = await tap('ann', { hold: true });
    expect(won.body.code).toBe('0');
    expect((await tap('bob', { hold: false })).body.code).toBe('0');
    await waitFor(async () => (await settlementOf(id, 'bob')) === 'credited', { what: 'the credit of bob' });
    expect(await settlementOf(id, 'ann')).toBe('held');
    expect((await tap('ann')).body).toEqual({ ...won.body, code: '1' });

    const finance = rain.as('finance');
    const letters = await finance.get(`/v1/dead-letters?activityId=${id}&reason=held`);
    const [{ claimId }] = letters.body.items as [{ claimId: string }];
    expect(letters.body.items).toMatchObject([{ userId: 'ann', reason: 'held', attempts: 0 }]);
    const reason = { reason: 'Forty wins from one address.' };
    expect((await finance.post(`/v1/claims/${claimId}/hold`, reason)).body.code).toBe('claim.not_pending');
    expect((await finance.post(`/v1/claims/${claimId}/release`)).body).toMatchObject({ status: 'replayed' });
    await waitFor(async () => (await settlementOf(id, 'ann')) === 'credited', { what: 'the credit of ann' });
    expect((await finance.post(`/v1/claims/${claimId}/release`)).body.code).toBe('claim.not_held');
    const log = await rain.operator().get(`/v1/audit-log?subject=claim:${claimId}`);
    expect(log.body.items).toMatchObject([{ action: 'claim.release', actorId: 'finance' }]);
  });
});

describe('ticket keys', () => {
  it('belong to the caller, or to a sponsor whom staff name; the secret is shown only when a key is created', async () => {
    const [own, staff] = [rain.user('keeper'), rain.as('campaign')];
    const create = () => own.post('/v1/ticket-keys', {}, { key: 'keeper-key-1' });
    const first = await create();
    expect(first).toMatchObject({
      status: 201,
      body: { sponsorId: 'keeper', secret: expect.stringMatching(/^whsec_/) },
    });
    expect((await create()).body).toEqual(first.body);
    const second = await staff.post('/v1/ticket-keys', { sponsorId: 'keeper' });
    const { secret: _, ...shown } = second.body as TicketKey;
    const { secret: __, ...older } = first.body as TicketKey;
    expect((await own.get('/v1/ticket-keys')).body).toEqual({ items: [shown, older] });
    expect((await staff.get('/v1/ticket-keys?sponsorId=keeper')).body.items).toHaveLength(2);
    expect((await rain.user('thief').get('/v1/ticket-keys')).body).toEqual({ items: [] });
    for (const refused of [
      await rain.user('thief').get('/v1/ticket-keys?sponsorId=keeper'),
      await rain.user('thief').post('/v1/ticket-keys', { sponsorId: 'keeper' }),
    ])
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'sponsorId' }] } });
    expect((await rain.user('thief').delete(`/v1/ticket-keys/${second.body.id}`)).status).toBe(404);
    expect((await own.delete(`/v1/ticket-keys/${second.body.id}`)).status).toBe(204);
    expect((await own.delete(`/v1/ticket-keys/${second.body.id}`)).status).toBe(404);
    expect((await own.delete(`/v1/ticket-keys/${first.body.id}`)).status).toBe(204);
    expect((await create()).status).toBe(404);
    const log = await rain.operator().get(`/v1/audit-log?subject=ticket-key:${second.body.id}`);
    expect(log.body.items.map(({ action }: { action: string }) => action)).toEqual([
      'ticket-key.delete',
      'ticket-key.create',
    ]);
    expect(log.text).not.toContain('whsec_');
  });

  it('number at most four per sponsor, however many are requested at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => rain.user('collector').post('/v1/ticket-keys', {})),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('ticket_key.too_many');
  });

  it('number at most twenty per sponsor within 24 hours, even if each is deleted before the next', async () => {
    const own = rain.user('locksmith');
    const turn = async () => {
      const { status, body } = await own.post('/v1/ticket-keys', {});
      if (status === 201) await own.delete(`/v1/ticket-keys/${body.id}`);
      return status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push(await turn());
    expect(statuses).toEqual([...Array(20).fill(201), 409]);
    await rain.sql(
      `update ticket_key set created_at = created_at - interval '24 hours' where sponsor_id = $1`,
      ['locksmith'],
    );
    expect(await turn()).toBe(201);
  });
});
