import { freePort } from '../../src/dev/engines';
import { DESK } from './chromium';
import type { Stage } from './stage';
import { SwaggerUi } from './swagger-ui';

const HOUR_MS = 3_600_000;

export function swaggerCases(stage: Stage): void {
  it('plays a whole rain by clicks alone on a port for staff only, as in production', async () => {
    const port = String(await freePort());
    await stage.rain.startAnother('main.js', { ADMIN_PORT: port });
    await playByClicks(stage, `http://127.0.0.1:${port}`);
  });

  it('takes a token where its dialog puts the cursor, because it has one scheme', async () => {
    const ui = await open(stage);
    expect(await ui.paste(stage.rain.tokenOf('operator', 'operator'))).toEqual(['bearer']);
    expect(await ui.execute('get', '/v1/overview')).toMatchObject({ status: 200 });
  });

  it('fills in the first example of every body but no id, and is never taller than 2500 pixels', async () => {
    const ui = await open(stage);
    const document = (await (await fetch(`${stage.rain.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { requestBody?: { content: Record<string, Body> } }>>;
    };
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const examples = requestBody?.content['application/json']?.examples;
        return examples ? [{ method, path, body: Object.values(examples)[0]!.value }] : [];
      }),
    );
    expect(bodies.length).toBeGreaterThan(15);
    for (const { method, path, body } of bodies) {
      const { height, ids, body: filledIn } = await ui.filledIn(method, path);
      const params = path.match(/\{/g) ?? [];
      expect({ path, filledIn, ids }).toEqual({ path, filledIn: body, ids: params.map(() => '') });
      expect({ path, height }).toEqual({ path, height: expect.any(Number) });
      expect(height).toBeLessThanOrEqual(2_500);
    }
  });

  it('plays a whole evening by clicks, from the deposit to the files, without typing a body', () =>
    playNight(stage));
}

interface Body {
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

async function open(stage: Stage): Promise<SwaggerUi> {
  const { page } = await stage.visitor({ viewport: DESK });
  return SwaggerUi.open(page, `${stage.rain.url}/docs`);
}

/** Types nothing but tokens, the owners of two wallets, and the ids that answers have shown. */
async function playNight(stage: Stage): Promise<void> {
  const ui = await open(stage);
  const asOperator = () => ui.authorize(stage.rain.tokenOf('night', 'operator'));
  const click = (method: string, path: string, parameters = {}) => ui.execute(method, path, { parameters });
  const owner = (ownerId: string) => ({ ownerId });
  await asOperator();
  for (const balance of ['100.00', '200.00'])
    expect(await click('post', '/v1/wallets/{ownerId}/deposits', owner('night'))).toMatchObject({
      status: 201,
      body: { balance },
    });
  expect(await click('post', '/v1/split-previews')).toMatchObject({ status: 200, body: { packets: 20 } });
  const created = await click('post', '/v1/activities');
  expect(created).toMatchObject({ status: 201, body: { phase: 'open', sponsorId: 'night' } });
  const activity = { id: String(created.body.id) };
  expect(await click('get', '/v1/activities/{id}/preflight', activity)).toMatchObject({ status: 200 });
  const freeze = await click('post', '/v1/wallets/{ownerId}/freeze', owner('tapper'));
  expect(freeze).toMatchObject({ status: 200, body: { status: 'frozen' } });

  await ui.authorize(stage.rain.tokenOf('tapper'));
  expect(await click('post', '/v1/activities/{id}/grabs', activity)).toMatchObject({ body: { code: '0' } });

  await asOperator();
  const progress = await click('get', '/v1/activities/{id}/progress', activity);
  expect(progress).toMatchObject({ status: 200, body: { activityId: activity.id } });
  const topUp = await click('post', '/v1/activities/{id}/top-ups', activity);
  expect(topUp).toMatchObject({ status: 201, body: { packetCount: 4 } });
  await stage.rain.settled(activity.id);
  const letters = (await click('get', '/v1/dead-letters')).body.items as { id: string; activityId: string }[];
  const letter = letters.find(({ activityId }) => activityId === activity.id)!;
  await click('post', '/v1/wallets/{ownerId}/unfreeze', owner('tapper'));
  expect(await click('post', '/v1/dead-letters/{id}/replay', { id: letter.id })).toMatchObject({
    status: 200,
  });
  await stage.rain.settled(activity.id);

  const close = await click('post', '/v1/activities/{id}/close', activity);
  expect(close).toMatchObject({ status: 200, body: { cancelled: false } });
  const proof = await click('get', '/v1/activities/{id}/reconciliation', activity);
  expect(proof).toMatchObject({ status: 200, body: { verdict: 'balanced', funded: '104.00' } });
  for (const file of ['results', 'claims', 'payouts', 'ledger'])
    expect([file, await ui.download(`/v1/activities/{id}/export/${file}`, activity)]).toEqual([file, 200]);
}

/** Plays a rain: deposits, an activity, a grab, the wallet, the close and the proof. */
async function playByClicks(stage: Stage, url: string): Promise<void> {
  const visitor = await stage.visitor();
  visitor.expectsStrangers = true;
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
