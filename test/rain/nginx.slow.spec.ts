import { GatewayClient, type Refused } from '../harness/gateway-client';
import { ApiClient } from '../../libs/client';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { Installation, JWT_SECRET } from '../harness/installation';
import { Nginx, ofDeploy } from '../harness/nginx';

const BASE_PATH = '/api';

describe('an API behind nginx', () => {
  let rain: Installation;
  const proxies: Nginx[] = [];

  beforeAll(async () => {
    rain = await Installation.start({ BASE_PATH, RAIN_GUESTS: 'true', TRUSTED_PROXIES: '127.0.0.1/32' });
  });

  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await rain.stop();
  });

  const behind = async (server?: string): Promise<string | undefined> => {
    const proxy = await Nginx.start(rain.url, server);
    if (proxy) proxies.push(proxy);
    return proxy?.url;
  };

  it('with its stock configuration answers a handshake with 426, and names the headers that nginx has to send', async () => {
    const url = await behind();
    if (url === undefined) return;
    const refused = await GatewayClient.connect(url, '', {
      protocols: ['hongbao.v1', `bearer.${rain.tokenOf('ann')}`],
    }).catch((error: Refused) => error);
    expect(refused).toMatchObject({ status: 426, text: expect.stringContaining('proxy_set_header Upgrade') });
  });

  it.each([
    ['that passes the path on', ofDeploy()],
    [
      'that takes the path out',
      ofDeploy().replace(/(location \/api\/ \{\s+proxy_pass http:\/\/hongbao);/, '$1/;'),
    ],
  ])('%s serves taps, WebSockets, tokens of 8 KiB, pages and documents below a path', async (_, server) => {
    const url = await behind(server);
    if (url === undefined) return;
    const id = await rain.createActivity({ packetCount: 2 });
    const claims = { sub: `ann-${id}`, role: 'user' as const, groups: 'g'.repeat(6_200) };
    const long = signToken({ secret: JWT_SECRET }, claims);
    const api = new ApiClient(url + BASE_PATH, long);
    expect(await api.grabPacket(id)).toMatchObject({ code: '0' });
    const client = await GatewayClient.connect(url + BASE_PATH, long);
    expect((await client.grab(id)).body.code).toBe('1');
    await client.close();
    const textOf = async (path: string) => (await fetch(url + path)).text();
    for (const page of [`/api/rain/${id}`, '/api/console', '/api/console/activities/7']) {
      const html = await textOf(page);
      const assets = Array.from(html.matchAll(/(?:src|href)="(\/api\/assets\/[^"]+)"/g), ([, path]) => path!);
      expect(assets.length).toBeGreaterThanOrEqual(2);
      for (const asset of assets) expect((await fetch(url + asset)).status).toBe(200);
      expect(html).toContain('&quot;basePath&quot;:&quot;/api&quot;');
    }
    expect(await textOf('/api/rain/worker.js')).toContain('/api/assets/rain-');
    expect(await textOf('/api/')).toContain('href="/api/docs"');
    expect(JSON.parse(await textOf('/api/openapi.json'))).toMatchObject({ servers: [{ url: '/api' }] });
    const headers = { Authorization: `Bearer ${rain.tokenOf('op', 'operator')}` };
    const signedIn = await fetch(`${url}/api/queues/session`, { method: 'POST', headers });
    expect(signedIn.headers.get('set-cookie')).toContain('Path=/api/queues;');
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const board = await fetch(`${url}/api/queues`, { headers: { cookie } });
    expect(await board.text()).toContain('<base href="/api/queues/"');
  });

  it('accepts files of codes that are larger than a stock nginx accepts', async () => {
    const url = await behind(ofDeploy());
    if (url === undefined) return;
    const answer = await fetch(`${url}/api/v1/code-pools/7/codes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rain.tokenOf('op', 'operator')}`,
        'content-type': 'text/csv',
        'idempotency-key': 'codes-of-7',
      },
      body: 'AAAA-BBBB-CCCC\n'.repeat(200_000),
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 404,
      body: { code: 'code_pool.not_found' },
    });
  });

  it('accepts daily files that are larger than a stock nginx accepts', async () => {
    const url = await behind(ofDeploy());
    if (url === undefined) return;
    const answer = await fetch(`${url}/api/v1/payout-channels/7/statements?day=2026-01-01`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rain.tokenOf('bank', 'channel', '7')}`,
        'content-type': 'text/csv',
      },
      body: 'payoutId,amount\n'.repeat(200_000),
    });
    expect(answer.status).toBe(404);
  });
});
