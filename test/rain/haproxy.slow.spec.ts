import { request } from 'node:http';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Program } from '../../src/dev/engines';
import { EventClient } from '../harness/event-client';
import { waitFor } from '../harness/engines';
import { GatewayClient } from '../harness/gateway-client';
import { HaProxy } from '../harness/haproxy';
import { Installation } from '../harness/installation';

const HEARTBEAT_SECONDS = 15;

const LIMIT = 1_000_000;

const settings = { TRUSTED_PROXIES: '127.0.0.1/32', RATE_LIMIT_ADDRESS_PER_SECOND: String(LIMIT) };

describe('two APIs behind HAProxy, with the configuration of deploy/haproxy,', () => {
  let rain: Installation;
  let second: { program: Program; url: string };
  let proxy: HaProxy | undefined;

  beforeAll(async () => {
    rain = await Installation.startWithWorker(settings);
    second = await rain.startAnother('main.js', settings);
    proxy = await HaProxy.start([rain.url, second.url]);
  });

  afterAll(async () => {
    await proxy?.stop();
    await rain.stop();
  });

  /** Returns the final answer of each user. A busy API asks them to tap again. */
  async function grabs(activityId: string, users: readonly string[]): Promise<string[]> {
    const path = `/v1/activities/${activityId}/grabs`;
    const tap = async (user: string) => {
      const { status, body } = await rain.user(user, proxy!.url).post(path);
      return status === 503 ? undefined : (body.code as string);
    };
    const heard = await Promise.all(users.map((user) => waitFor(() => tap(user), { what: 'an answer' })));
    return heard.map((code) => code!);
  }

  const usersOf = (name: string): string[] => Array.from({ length: 50 }, (_, i) => `${name}-${i}`);

  it('play a rain together over kept connections', async () => {
    if (!proxy) return;
    const activityId = await rain.createActivity({ packetCount: 50 });
    expect(await grabs(activityId, usersOf('first'))).toEqual(Array(50).fill('0'));
    expect(await grabs(activityId, usersOf('first'))).toEqual(Array(50).fill('1'));
    const [one, other] = await Promise.all([proxy.statusOf('api1'), proxy.statusOf('api2')]);
    expect(Number(one.stot)).toBeGreaterThan(0);
    expect(Number(other.stot)).toBeGreaterThan(0);
    expect(Number(one.reuse) + Number(other.reuse)).toBeGreaterThan(0);
    await rain.settled(activityId);
    expect(await rain.verify()).not.toContain('BROKEN');
  });

  it('pass WebSockets on, with taps, answers and news', async () => {
    if (!proxy) return;
    const activityId = await rain.createActivity({ packetCount: 1 });
    const client = await GatewayClient.connect(proxy.url, rain.tokenOf('walter'));
    expect((await client.ask({ op: 'watch', activityIds: [activityId] })).status).toBe(200);
    expect((await client.grab(activityId)).body.code).toBe('0');
    await client.heard(3);
    await client.close();
  });

  it('pass events on as they occur, and count a heartbeat as a sign of life', async () => {
    if (!proxy) return;
    const activityId = await rain.createActivity();
    const listener = await EventClient.connect(proxy.url, rain.tokenOf('listener'));
    expect(await grabs(activityId, ['listener'])).toEqual(['0']);
    await waitFor(() => listener.heard.some(({ event }) => event === 'wallet.credited'), {
      what: 'the payment',
    });
    expect(listener.returns).toBe(0);
    await listener.close();

    const configuration = readFileSync(resolve('deploy', 'haproxy', 'haproxy.cfg'), 'utf8');
    for (const side of ['client', 'server']) {
      const [, seconds] = new RegExp(`^ +timeout ${side} (\\d+)s$`, 'm').exec(configuration)!;
      expect(Number(seconds)).toBeGreaterThan(2 * HEARTBEAT_SECONDS);
    }
  });

  it('see the address of each client, whatever the client writes into X-Forwarded-For', async () => {
    if (!proxy) return;
    await proxy.set('api2', 'drain');
    for (let i = 0; i < 20; i += 1) await leftOf(proxy.url, '127.0.0.2');
    expect(await leftOf(proxy.url, '127.0.0.3')).toBe(LIMIT - 1);
    expect(await leftOf(proxy.url, '127.0.0.3', { 'x-forwarded-for': '192.0.2.1' })).toBe(LIMIT - 2);
    await proxy.set('api2', 'ready');
  });

  it('receive no new requests while they are drained, and are checked by their readiness', async () => {
    if (!proxy) return;
    const activityId = await rain.createActivity({ packetCount: 50 });
    await proxy.set('api2', 'drain');
    const { stot } = await proxy.statusOf('api2');
    expect(await grabs(activityId, usersOf('drained'))).toEqual(Array(50).fill('0'));
    // HAProxy writes an asterisk before the last result while it checks again.
    const check_status = expect.stringMatching(/^(\* )?L7OK$/) as string;
    expect(await proxy.statusOf('api2')).toMatchObject({ stot, status: 'DRAIN', check_status });
    await proxy.set('api2', 'ready');
  });

  it('do not lose a request when one of them ends under load', async () => {
    if (!proxy) return;
    const activityId = await rain.createActivity({ totalAmount: '500.00', packetCount: 500 });
    const load = Array.from({ length: 10 }, (_, i) => grabs(activityId, usersOf(`load${i}`)));
    await Promise.race(load);
    await second.program.stop();
    expect(second.program.exitCode).toBe(0);
    expect((await Promise.all(load)).flat()).toEqual(Array(500).fill('0'));
    await waitFor(async () => (await proxy!.statusOf('api2')).status === 'DOWN', { what: 'the notice' });
    await rain.settled(activityId);
    expect(await rain.verify()).not.toContain('BROKEN');
  });
});

/** Returns how many requests the address of this client has left in this second. */
function leftOf(url: string, localAddress: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/me/wallet`, { localAddress, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(Number(answer.headers['ratelimit-remaining']));
    });
    asked.once('error', reject).end();
  });
}
