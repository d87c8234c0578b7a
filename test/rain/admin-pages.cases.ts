import { freePort, type Program } from '../../src/dev/engines';
import { version } from '../../src/platform/version';
import { startEdge } from '../edge/edge-app';
import { ApiDocument } from '../harness/api-document';
import { rain } from '../harness/shared-installation';

const ADMIN_PAGES = [
  '/metrics',
  '/%6detrics',
  '/docs',
  '/docs/runbook',
  '/docs/swagger-ui-bundle.js',
  '/openapi.json',
  '/openapi.json?x=1',
  '/openapi-3.0.json',
  '/console',
  '/console/activities/7',
];

describe('pages for operators', () => {
  let api: { program: Program; url: string };
  let adminUrl: string;

  /** An unread answer would keep its connection open, and the server running. */
  const statusOf = async (url: string) => {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  };

  beforeAll(async () => {
    const port = await freePort();
    adminUrl = `http://127.0.0.1:${port}`;
    api = await rain.startAnother('main.js', { ADMIN_PORT: String(port) });
  });

  afterAll(async () => {
    await api.program.stop();
    expect(api.program.exitCode).toBe(0);
  });

  it('are served only on their own port if it is configured, and not on the port for clients', async () => {
    for (const page of ADMIN_PAGES) {
      expect([page, await statusOf(`${api.url}${page}`)]).toEqual([page, 404]);
      expect([page, await statusOf(`${adminUrl}${page}`)]).toEqual([page, 200]);
    }
    for (const url of [api.url, adminUrl]) {
      expect(await statusOf(`${url}/docs/errors`)).toBe(200);
      expect(await statusOf(`${url}/health/live`)).toBe(200);
    }
    expect((await rain.user('u1', api.url).get('/v1/me/wallet')).status).toBe(200);
    expect(await statusOf(`${api.url}/queues`)).toBe(404);
    expect(await statusOf(`${adminUrl}/queues`)).toBe(401);
    expect(await statusOf(`${api.url}/queues/static/favicon.ico`)).toBe(404);
    expect(await statusOf(`${adminUrl}/queues/static/favicon.ico`)).toBe(401);
  });

  it('are linked from the front page of their port, together with the newest rain', async () => {
    const linksOf = async (url: string) => {
      const answer = await fetch(url);
      expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      return Array.from((await answer.text()).matchAll(/href="(.*?)"/g), ([, link]) => link!);
    };
    const id = await rain.createActivity();
    expect(await linksOf(api.url)).toEqual([`/rain/${id}`, '/docs/errors']);
    const links = await linksOf(adminUrl);
    expect(links).toEqual([`/rain/${id}`, '/console', '/docs', '/docs/errors']);
    for (const link of links) expect(await statusOf(adminUrl + link)).toBe(200);
  });

  it('lead a person who is refused to the console, and do not exist on the port for clients', async () => {
    const open = async (url: string) => {
      const answer = await fetch(url, { headers: { accept: 'text/html' } });
      const html = await answer.text();
      return [answer.status, Array.from(html.matchAll(/class="way" href="(.*?)"/g), ([, way]) => way)];
    };
    expect(await open(`${adminUrl}/queues`)).toEqual([401, ['/console', '/']]);
    expect(await open(`${api.url}/queues`)).toEqual([404, ['/']]);
    expect(await open(`${adminUrl}/v1/me/wallet`)).toEqual([401, ['/']]);
    expect(await open(`${adminUrl}/docs/nothing`)).toEqual([404, ['/']]);
  });

  it('call only the server that they come from, as their content security policy requires', async () => {
    const page = await fetch(`${adminUrl}/docs`);
    const policy = page.headers.get('content-security-policy')!.split(';');
    expect(policy).toContain("default-src 'self'");
    expect(policy.filter((directive) => directive.startsWith('connect-src'))).toEqual([]);
    const { servers } = (await (await fetch(`${adminUrl}/openapi.json`)).json()) as { servers: unknown };
    expect(servers).toEqual([{ url: '/' }]);
  });

  it('have the API on the same port, which requires the same tokens', async () => {
    const operator = rain.operator('op', adminUrl);
    expect((await operator.post('/v1/wallets/by-the-side/deposits', { amount: '5.00' })).status).toBe(201);
    expect((await rain.user('by-the-side', adminUrl).get('/v1/me/wallet')).body.balance).toBe('5.00');
    expect((await rain.user('u1', adminUrl).get('/v1/dead-letters')).status).toBe(403);
    expect(await statusOf(`${adminUrl}/v1/me/wallet`)).toBe(401);
    expect(await ApiDocument.read(adminUrl)).toBeDefined();
  });

  it('are not served in production unless they have a port of their own', async () => {
    const app = await startEdge({ NODE_ENV: 'production' }, { swagger: true });
    for (const page of ['/docs', '/docs/swagger-ui-bundle.js', '/openapi.json'])
      expect((await app.inject(page)).statusCode).toBe(404);
    expect((await app.inject('/docs/errors')).statusCode).toBe(200);
    const { body } = await app.inject('/');
    expect(body).toContain(`Version ${version}`);
    expect(body).not.toContain('href');
    await app.close();
  });
});
