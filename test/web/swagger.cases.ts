import { freePort } from '../../src/dev/engines';
import type { Stage } from './stage';
import { SwaggerUi } from './swagger-ui';

const HOUR_MS = 3_600_000;

export function swaggerCases(stage: Stage): void {
  it('plays a whole rain by clicks alone beside the API', () => playByClicks(stage, stage.rain.url));

  it('plays a whole rain by clicks alone on a port for staff alone, as in production', async () => {
    const port = String(await freePort());
    await stage.rain.startAnother('main.js', { ADMIN_PORT: port });
    await playByClicks(stage, `http://127.0.0.1:${port}`);
  });
}

/** Plays a rain: deposits, an activity, a grab, the wallet, the close and the proof. */
async function playByClicks(stage: Stage, url: string): Promise<void> {
  const visitor = await stage.visitor();
  visitor.expectsStrangers = url !== stage.rain.url;
  const ui = await SwaggerUi.open(visitor.page, `${url}/docs`);
  await ui.authorize(stage.rain.tokenOf('operator', 'operator'));
  const sponsorId = `sponsor-of-${new URL(url).port}`;
  const deposit = () =>
    ui.execute('post', '/v1/wallets/{ownerId}/deposits', {
      parameters: { ownerId: sponsorId },
      body: { amount: '50.00' },
    });
  expect(await deposit()).toMatchObject({ status: 201, body: { balance: '50.00' } });
  // Another deposit, not a replay of the first.
  expect(await deposit()).toMatchObject({ status: 201, body: { balance: '100.00' } });

  const created = await ui.execute('post', '/v1/activities', { body: activityOf(sponsorId) });
  expect(created).toMatchObject({ status: 201, body: { phase: 'open' } });
  const parameters = { id: String(created.body.id) };

  await ui.authorize(stage.rain.tokenOf('clicker'));
  const grab = () => ui.execute('post', '/v1/activities/{id}/grabs', { parameters });
  expect(await grab()).toMatchObject({ status: 200, body: { code: '0' } });
  expect(await grab()).toMatchObject({ status: 200, body: { code: '1' } });
  expect(await ui.execute('get', '/v1/me/wallet')).toMatchObject({ status: 200, body: { currency: 'CNY' } });

  await ui.authorize(stage.rain.tokenOf('operator', 'operator'));
  const close = await ui.execute('post', '/v1/activities/{id}/close', { parameters });
  expect(close).toMatchObject({ status: 200, body: { cancelled: false } });
  const proof = await ui.execute('get', '/v1/activities/{id}/reconciliation', { parameters });
  expect(proof).toMatchObject({ status: 200, body: { verdict: 'balanced' } });
}

const activityOf = (sponsorId: string): object => ({
  name: 'By clicks',
  sponsorId,
  totalAmount: '20.00',
  packetCount: 2,
  split: { kind: 'random', min: '1.00' },
  opensAt: new Date(Date.now() - HOUR_MS).toISOString(),
  closesAt: new Date(Date.now() + HOUR_MS).toISOString(),
});
