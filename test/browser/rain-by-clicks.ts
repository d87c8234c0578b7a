import type { Page } from 'playwright-core';
import type { Steps } from '../harness/steps';
import { type Shown, SwaggerUi } from './swagger-ui';

export interface Players {
  readonly operator: string;
  readonly user: string;
}

const HOUR_MS = 3_600_000;

/**
 * Plays a whole rain in Swagger UI: deposits, an activity, a grab, the wallet, the close and the
 * proof.
 */
export async function playByClicks(steps: Steps, page: Page, url: string, tokens: Players): Promise<void> {
  const ui = await steps.run(`${url} is shown`, () => SwaggerUi.open(page, url));
  const see = (what: string, { status, body }: Shown, expected: object) =>
    steps.check(what, { status, ...pick(body, expected) }, expected);

  await ui.authorize(tokens.operator);
  const deposit = () =>
    ui.execute('post', '/v1/wallets/{ownerId}/deposits', {
      parameters: { ownerId: 'sponsor-1' },
      body: { amount: '50.00' },
    });
  see('a deposit', await deposit(), { status: 201, balance: '50.00' });
  see('a second one, which is no replay', await deposit(), { status: 201, balance: '100.00' });

  const created = await ui.execute('post', '/v1/activities', { body: activity() });
  see('an activity', created, { status: 201, phase: 'open' });
  const parameters = { id: String(created.body.id) };

  await ui.authorize(tokens.user);
  see('a grab', await ui.execute('post', '/v1/activities/{id}/grabs', { parameters }), {
    status: 200,
    code: '0',
  });
  see('a second tap', await ui.execute('post', '/v1/activities/{id}/grabs', { parameters }), {
    status: 200,
    code: '1',
  });
  see('my wallet', await ui.execute('get', '/v1/me/wallet'), { status: 200, currency: 'CNY' });

  await ui.authorize(tokens.operator);
  see('the close', await ui.execute('post', '/v1/activities/{id}/close', { parameters }), {
    status: 200,
    cancelled: false,
  });
  see('the proof', await ui.execute('get', '/v1/activities/{id}/reconciliation', { parameters }), {
    status: 200,
    verdict: 'balanced',
  });
}

function activity(): object {
  return {
    name: 'By clicks',
    sponsorId: 'sponsor-1',
    totalAmount: '20.00',
    packetCount: 2,
    split: { kind: 'random', min: '1.00' },
    opensAt: new Date(Date.now() - HOUR_MS).toISOString(),
    closesAt: new Date(Date.now() + HOUR_MS).toISOString(),
  };
}

/** Returns the expected fields of a body, in the expected order. */
const pick = (body: Shown['body'], expected: object): object =>
  Object.fromEntries(
    Object.keys(expected)
      .filter((name) => name !== 'status')
      .map((name) => [name, body[name]]),
  );
