import { request } from 'node:http';
import { startEdge } from '../edge/edge-app';
import { readApi } from '../harness/api-operations';
import { rain } from '../harness/shared-installation';

const ORIGIN = 'https://app.example';

/** The pages that may call the API, as a setting of the installation. */
export const CORS_ORIGINS = `${ORIGIN}, http://localhost:5173`;
const OTHER = 'https://evil.example';

/** The answer of PTTL about a key that has no end. */
const NEVER_EXPIRES = -1;

describe('pages of other origins', () => {
  const preflight = (origin: string) =>
    fetch(`${rain.url}/v1/wallets/u1/deposits`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });
  const get = (path: string, origin: string, headers: Record<string, string> = {}) =>
    fetch(rain.url + path, { headers: { origin, ...headers } });
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

  it.each([ORIGIN, 'http://localhost:5173'])(
    'may call the API from %s, which is configured',
    async (origin) => {
      const asked = await preflight(origin);
      expect([asked.status, allowed(asked)]).toEqual([204, origin]);
      expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
      expect(asked.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
      expect(asked.headers.get('access-control-allow-headers')).not.toMatch(/act-for/i);
      expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
      expect(asked.headers.get('vary')).toContain('Origin');
    },
  );

  it('may use every method that the API document has', async () => {
    const used = new Set((await readApi(rain.url)).operations.map(({ method }) => method));
    const allowed = (await preflight(ORIGIN)).headers.get('access-control-allow-methods')!;
    expect(allowed.toUpperCase().split(', ').sort()).toEqual([...used].sort());
  });

  it('may read every answer, refusals included, with the headers that clients need', async () => {
    const answers = [
      await get('/v1/activities', ORIGIN, { authorization: `Bearer ${rain.tokenOf('u1')}` }),
      await get('/v1/activities', ORIGIN),
      await get('/nowhere', ORIGIN),
      await get('/%zz', ORIGIN),
    ];
    expect(answers.map((answer) => [answer.status, allowed(answer)])).toEqual([
      [200, ORIGIN],
      [401, ORIGIN],
      [404, ORIGIN],
      [400, ORIGIN],
    ]);
    const exposed = answers[0]!.headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['Retry-After', 'Idempotency-Replayed', 'Location', 'RateLimit-Remaining']),
    );
  });

  it.each([OTHER, 'null', `${ORIGIN}.evil.example`, ORIGIN.toUpperCase(), `${ORIGIN}:8443`])(
    'may not call the API from %s, which is not configured',
    async (origin) => {
      const token = { authorization: `Bearer ${rain.tokenOf('u1')}` };
      expect(allowed(await preflight(origin))).toBeNull();
      expect(allowed(await get('/v1/activities', origin, token))).toBeNull();
    },
  );

  it('are refused by a server that has no origins configured', async () => {
    const app = await startEdge();
    const { headers } = await app.inject({ url: '/sample/public', headers: { origin: ORIGIN } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await app.inject({ method: 'OPTIONS', url: '/sample/public' })).statusCode).toBe(404);
    await app.close();
  });

  describe('clients with a ticket for events', () => {
    const ticketOf = async (user: string) => {
      const { status, body } = await rain.user(user).post('/v1/me/events/tickets');
      expect({ status, body }).toEqual({
        status: 201,
        body: { ticket: expect.stringMatching(/^[\w-]{32}$/), expiresAt: expect.stringMatching(/Z$/) },
      });
      return body as { ticket: string; expiresAt: string };
    };

    /** Listens as `EventSource` does. Returns the first bytes. */
    const listen = (query: string) =>
      new Promise<{ status: number; allowed: unknown; text: string }>((resolve, reject) => {
        const asking = request(`${rain.url}/v1/me/events?${query}`, { headers: { origin: ORIGIN } });
        asking.on('error', reject).on('response', (response) => {
          response.once('data', (bytes: Buffer) => {
            const { statusCode: status, headers } = response;
            resolve({
              status: status!,
              allowed: headers['access-control-allow-origin'],
              text: String(bytes),
            });
            asking.destroy();
          });
        });
        asking.end();
      });

    it('let a client listen without a header, once', async () => {
      const { ticket, expiresAt } = await ticketOf('ann');
      expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30_000);
      expect(await listen(`ticket=${ticket}`)).toMatchObject({
        status: 200,
        allowed: ORIGIN,
        text: expect.stringMatching(/^id: \d+\n/),
      });
      expect(await listen(`ticket=${ticket}`)).toMatchObject({ status: 401, allowed: ORIGIN });
    });

    it('are served once, however many present the ticket at the same moment', async () => {
      const { ticket } = await ticketOf('bob');
      const answers = await Promise.all(Array.from({ length: 8 }, () => listen(`ticket=${ticket}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
    });

    it('resume where they were, by a query parameter instead of the header', async () => {
      const { ticket } = await ticketOf('cem');
      const resumed = await listen(`ticket=${ticket}&lastEventId=1000000000000000`);
      expect(resumed.text).toMatch(/^id: 1000000000000000\n|event: resync/);
      const { ticket: other } = await ticketOf('cem');
      const refused = await listen(`ticket=${other}&lastEventId=yesterday`);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('"lastEventId"')]);
    });

    it.each(['', 'ticket=', 'ticket=made-up', 'ticket=a&ticket=b', `ticket=${'x'.repeat(2_000)}`])(
      'are refused with the query "%s"',
      async (query) => {
        expect(await listen(query)).toMatchObject({ status: 401 });
      },
    );

    it('cannot use the ticket for anything else', async () => {
      const { ticket } = await ticketOf('dan');
      for (const path of ['/v1/me/wallet', '/v1/me/packets', '/v1/activities']) {
        const refused = await get(`${path}?ticket=${ticket}`, ORIGIN);
        expect([path, refused.status]).toEqual([path, 401]);
      }
      expect((await listen(`ticket=${ticket}`)).status).toBe(200);
    });

    it('are refused when the ticket is half a minute old', async () => {
      const { ticket } = await ticketOf('eve');
      for (const key of await rain.redis.keys('rp:{events}:ticket:*')) {
        const leftMs = await rain.redis.pttl(key);
        expect(leftMs).not.toBe(NEVER_EXPIRES);
        expect(leftMs).toBeLessThanOrEqual(30_000);
        await rain.redis.pexpire(key, 0);
      }
      expect((await listen(`ticket=${ticket}`)).status).toBe(401);
    });

    it('get twenty tickets in half a minute, and then have to wait', async () => {
      for (let i = 0; i < 20; i++) await ticketOf('fay');
      const { status, body, headers } = await rain.user('fay').post('/v1/me/events/tickets');
      expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'events.too_many_tickets', '30']);
      await ticketOf('gil');
    });

    it('leave no trace of the ticket in logs, problems or Redis', async () => {
      const { ticket } = await ticketOf('hal');
      const kept = await rain.redis.keys('rp:{events}:*');
      expect(kept.join()).not.toContain(ticket);
      const answers = [
        await listen(`ticket=${ticket}&activityId=x`),
        await listen(`ticket=${ticket}`),
        await listen(`ticket=${ticket}&ticket=${ticket}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 401, 401]);
      for (const { text } of answers) expect(text).not.toContain(ticket);
      expect(rain.api.output).not.toContain(ticket);
    });
  });
});
