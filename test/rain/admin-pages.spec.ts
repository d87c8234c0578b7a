import { freePort } from '../../libs/local-engines';
import { startEdge } from '../edge/edge-app';
import { Installation } from '../harness/installation';

jest.setTimeout(60_000);

const ADMIN_PAGES = [
  '/metrics',
  '/%6detrics',
  '/docs',
  '/docs/swagger-ui-bundle.js',
  '/openapi.json',
  '/openapi.json?x=1',
];

describe('pages for operators', () => {
  it('have a port of their own where one is configured, which serves no client', async () => {
    const port = await freePort();
    const rain = await Installation.start({ ADMIN_PORT: String(port) });
    const statusOf = async (url: string) => (await fetch(url)).status;
    try {
      for (const page of ADMIN_PAGES) {
        expect([page, await statusOf(`${rain.url}${page}`)]).toEqual([page, 404]);
        expect([page, await statusOf(`http://127.0.0.1:${port}${page}`)]).toEqual([page, 200]);
      }
      expect(await statusOf(`${rain.url}/docs/errors`)).toBe(200);
      expect(await statusOf(`${rain.url}/health/live`)).toBe(200);
      expect(await statusOf(`http://127.0.0.1:${port}/health/live`)).toBe(200);
      expect((await rain.user('u1').get('/v1/me/wallet')).status).toBe(200);
      expect(await statusOf(`http://127.0.0.1:${port}/v1/me/wallet`)).toBe(404);
    } finally {
      await rain.stop();
    }
    expect(rain.api.exitCode).toBe(0);
  });

  it('are shown nowhere in production unless they have a port of their own', async () => {
    const app = await startEdge({ NODE_ENV: 'production' }, { swagger: true });
    for (const page of ['/docs', '/docs/swagger-ui-bundle.js', '/openapi.json'])
      expect((await app.inject(page)).statusCode).toBe(404);
    expect((await app.inject('/docs/errors')).statusCode).toBe(200);
    await app.close();
  });
});
