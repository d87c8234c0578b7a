import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';

/**
 * Written by the program before there were several currencies (3689bb18). Since then, lines show where their CR is, one
 * activity names an audience, and packets in lists have the name and sponsor of their activity, which came with packets
 * between people. None of this concerns currencies, and no line may differ for any other reason.
 */
const RECORDED = join(__dirname, 'same-answers.txt');

shareInstallation({
  APPROVAL_ABOVE: '1000.00',
  APPROVAL_ABOVE_DAILY: '5000.00',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_USER_PER_SECOND: '1000',
  SWEEP_AGE_MS: '1000',
});

/** What differs in every run, and nothing else. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<instant>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b[0-9a-f]{64}\b/g, '<digest>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/"salt":"[0-9a-f]{32}"/g, '"salt":"<salt>"'],
  [/"path":\[[^\]]*\]/g, '"path":[…]'],
  [/\r/g, '␍'],
  [/"(oldestPendingSeconds|oldestSeconds)":[\d.]+/g, '"$1":<seconds>'],
];

const withoutPassing = (text: string): string =>
  PASSING.reduce((rest, [what, name]) => rest.replace(what, name), text);

describe('a client that has never heard of a currency', () => {
  it('gets byte for byte the answers that were recorded before there were several', async () => {
    const said: string[] = [];
    const ask = async (
      who: Caller,
      method: 'get' | 'post' | 'patch' | 'delete',
      path: string,
      body?: object,
    ): Promise<Answer> => {
      const answer = await who[method](path, body);
      const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
      const { status, text } = answer;
      said.push(withoutPassing(`${method.toUpperCase()} ${path}${sent}\n${status} ${text.trimEnd()}\n`));
      return answer;
    };

    const [operator, finance] = [rain.operator(), rain.as('finance')];
    const now = Date.now();
    const window = {
      opensAt: new Date(now - 1_000).toISOString(),
      closesAt: new Date(now + 3_600_000).toISOString(),
    };
    const equal = {
      name: 'Equal',
      totalAmount: '40.00',
      packetCount: 4,
      split: { kind: 'equal' },
      ...window,
    };
    const [ann, bob, cid, dan, eve] = ['ann', 'bob', 'cid', 'dan', 'eve'].map((name) => rain.user(name));
    const events = await EventClient.connect(rain.url, rain.tokenOf('ann'));

    // At that time, the two creations that are refused below each took an id.
    await rain.sql(`select setval(pg_get_serial_sequence('activity', 'id'), 2)`);

    const deposits = '/v1/wallets/sponsor/deposits';
    await ask(operator, 'post', deposits, { amount: '500.00' });
    await ask(operator, 'post', deposits, { amount: '0.5', reference: 'Bank 1' });
    for (const amount of ['0', '-1', '7.105', '1.2.3', '1e3', 7, '9999999999999999', undefined])
      await ask(operator, 'post', deposits, { amount, reference: '' });
    await ask(operator, 'post', deposits, { amount: '1.00', note: 'x' });
    const large = await ask(operator, 'post', deposits, { amount: '1000.01' });
    await ask(finance, 'get', '/v1/approvals');
    await ask(finance, 'post', `/v1/approvals/${large.body.id}/approve`);
    await ask(finance, 'get', `/v1/approvals/${large.body.id}`);
    const mistake = await ask(operator, 'post', deposits, { amount: '3.00' });
    const reversal = await ask(operator, 'post', `/v1/deposits/${mistake.body.transferId}/reverse`, {
      reason: 'Twice.',
    });
    await ask(finance, 'post', `/v1/approvals/${reversal.body.id}/approve`);
    await ask(operator, 'patch', '/v1/wallets/sponsor/budget', { perDay: '800.00' });
    await ask(operator, 'patch', '/v1/wallets/sponsor/budget', { perDay: '800.001' });
    await ask(operator, 'get', '/v1/wallets/sponsor/budget');
    await ask(rain.user('sponsor'), 'get', '/v1/me/budget');
    await ask(operator, 'get', '/v1/wallets/nobody');
    await ask(operator, 'get', '/v1/wallets/sponsor');

    const splits = [
      { kind: 'random', min: '1.00', max: '1.00' },
      {
        kind: 'tiers',
        tiers: [
          { amount: '2.00', count: 1 },
          { amount: '1.00', count: 2 },
        ],
      },
    ];
    await ask(operator, 'post', '/v1/split-previews', {
      totalAmount: '10.00',
      packetCount: 4,
      split: equal.split,
    });
    await ask(operator, 'post', '/v1/split-previews', {
      totalAmount: '4.00',
      packetCount: 4,
      split: splits[0],
    });
    await ask(operator, 'post', '/v1/split-previews', {
      totalAmount: '4.00',
      packetCount: 3,
      split: splits[1],
    });
    await ask(operator, 'post', '/v1/activities', { ...equal, sponsorId: 'sponsor', totalAmount: '0.03' });
    await ask(operator, 'post', '/v1/activities', {
      ...equal,
      totalAmount: '4.005',
      split: { kind: 'random', min: '0.001', max: '9' },
      packetCount: 0,
    });
    await ask(operator, 'post', '/v1/activities', { ...equal, sponsorId: 'sponsor', totalAmount: '900.00' });
    await ask(operator, 'post', '/v1/activities', { ...equal, sponsorId: 'pauper' });
    const first = (await ask(operator, 'post', '/v1/activities', { ...equal, sponsorId: 'sponsor' })).body.id;
    const second = (
      await ask(rain.user('sponsor'), 'post', '/v1/activities', {
        ...equal,
        name: 'Random',
        totalAmount: '3.00',
        packetCount: 3,
        split: splits[0],
        showsBestLuck: true,
        // Activities of users were for everyone. Since there are audiences, the default is those with the link.
        audience: { kind: 'public' },
      })
    ).body.id;
    const tiers = { ...equal, name: 'Tiers', totalAmount: '4.00', packetCount: 3, split: splits[1] };
    const third = (
      await ask(operator, 'post', '/v1/activities', {
        ...tiers,
        sponsorId: 'sponsor',
        opensAt: window.closesAt,
        closesAt: new Date(now + 7_200_000).toISOString(),
      })
    ).body.id;
    await ask(operator, 'post', `/v1/activities/${first}/top-ups`, {
      amount: '20.00',
      packetCount: 2,
      split: { kind: 'equal' },
    });
    await ask(operator, 'post', `/v1/activities/${first}/top-ups`, { amount: '20.005', packetCount: 2 });
    await ask(operator, 'post', `/v1/activities/${first}/top-ups`, { amount: '0.01', packetCount: 2 });
    await ask(operator, 'get', `/v1/activities/${first}/preflight`);
    await ask(operator, 'get', '/v1/activities');
    await ask(operator, 'get', `/v1/activities/${first}/template`);
    await ask(operator, 'get', `/v1/activities/${second}/fairness`);

    await ask(operator, 'post', '/v1/wallets/dan/freeze');
    const settledTap = async (who: Caller, id: string) => {
      const answer = await ask(who, 'post', `/v1/activities/${id}/grabs`);
      await rain.settled(id);
      return answer;
    };
    await settledTap(ann!, first);
    await ask(ann!, 'post', `/v1/activities/${first}/grabs`);
    const won = await settledTap(bob!, first);
    await settledTap(cid!, second);
    await settledTap(ann!, second);
    await settledTap(dan!, first);
    await ask(eve!, 'post', `/v1/activities/${third}/grabs`);
    await waitFor(() => events.heard.length >= 4, { what: 'the events for ann' });
    for (const { event, data } of events.heard
      .slice(0, 4)
      .sort((a, b) => (a.data.messageId < b.data.messageId ? -1 : 1)))
      said.push(withoutPassing(`${event} ${JSON.stringify(data)}\n`));
    await ask(ann!, 'get', `/v1/activities/${first}/grabs/me`);
    await ask(ann!, 'get', '/v1/me/packets');
    await ask(ann!, 'get', '/v1/me/wallet');
    await ask(ann!, 'get', '/v1/me/wallet/entries');
    await ask(operator, 'get', '/v1/wallets/sponsor/entries');
    await ask(operator, 'get', `/v1/wallets/sponsor/entries?activityId=${first}`);
    await ask(operator, 'get', `/v1/activities/${first}/grabs`);
    await ask(bob!, 'get', `/v1/me/packets/${won.body.redPacketId}/proof`);
    const letter = (await ask(operator, 'get', '/v1/dead-letters')).body.items[0].id;
    await ask(operator, 'post', `/v1/dead-letters/${letter}/void`, { reason: 'A robot.' });
    await ask(operator, 'get', '/v1/dead-letters?status=void');

    const profile = { smallest: '1.00', largest: '50.00', perUserPerDay: '60.00', perDay: '1000.00' };
    await ask(operator, 'post', '/v1/payout-channels', {
      name: 'Shop',
      profile: { ...profile, largest: '0.5' },
    });
    await ask(operator, 'post', '/v1/payout-channels', { name: 'Shop', profile: { smallest: '0.001' } });
    const channelId = (await ask(operator, 'post', '/v1/payout-channels', { name: 'Shop', profile })).body.id;
    await ask(operator, 'patch', `/v1/payout-channels/${channelId}`, { profile: { perDay: '900.00' } });
    await ask(operator, 'get', '/v1/payout-channels');
    for (const amount of ['2.00', '0.99', '50.01', '40.00', '2.001'])
      await ask(ann!, 'post', '/v1/me/payouts', { amount, channelId });
    const payout = (await ask(ann!, 'get', '/v1/me/payouts')).body.items[0].id;
    await ask(rain.channel(channelId), 'get', `/v1/payout-channels/${channelId}/waiting`);
    await ask(rain.channel(channelId), 'post', '/v1/payouts/outcomes', {
      outcomes: [{ id: payout, outcome: 'paid', externalId: 'T1' }],
    });
    await ask(operator, 'get', '/v1/payouts');
    await ask(operator, 'get', `/v1/payouts/${payout}`);
    await ask(operator, 'post', '/v1/activities', {
      ...equal,
      sponsorId: 'sponsor',
      totalAmount: '2.00',
      payout: { channelId },
    });
    const paidOut = (
      await ask(operator, 'post', '/v1/activities', {
        ...equal,
        name: 'Paid out',
        sponsorId: 'sponsor',
        payout: { channelId },
      })
    ).body.id;
    await settledTap(eve!, paidOut);
    const isPaid = async () => (await eve!.get('/v1/me/payouts')).body.items.length === 1;
    await waitFor(isPaid, { what: 'the payout of a win' });

    await ask(operator, 'post', `/v1/activities/${first}/close`);
    await ask(operator, 'post', `/v1/activities/${third}/cancel`);
    await ask(operator, 'post', `/v1/activities/${second}/close`);
    await ask(ann!, 'get', `/v1/activities/${second}/best-luck`);
    await ask(operator, 'get', `/v1/activities/${first}/reconciliation`);
    for (const kind of ['results', 'claims', 'ledger', 'payouts'])
      for (const accept of ['text/csv', 'application/x-ndjson']) {
        const path = `/v1/activities/${first}/export/${kind}`;
        const headers = { accept, authorization: `Bearer ${rain.tokenOf('operator', 'operator')}` };
        const file = await (await fetch(rain.url + path, { headers })).text();
        said.push(withoutPassing(`GET ${path} ${accept}\n${file}`));
      }
    await ask(operator, 'get', `/v1/activities/${first}`);
    await ask(operator, 'get', '/v1/wallets/sponsor');
    await ask(operator, 'get', '/v1/audit-log?limit=100');
    await events.close();

    const text = said.join('\n');
    if (process.env.RECORD) writeFileSync(RECORDED, text);
    expect(text).toBe(readFileSync(RECORDED, 'utf8'));
  });
});

describe('a client that names a currency', () => {
  const operator = () => rain.operator();

  beforeAll(async () => {
    for (const body of [
      { code: 'COINS', kind: 'points', decimals: 0, name: 'Coins' },
      { code: 'KWD', kind: 'money', name: 'Kuwaiti Dinar' },
    ])
      expect((await operator().post('/v1/currencies', body)).status).toBe(201);
  });

  it('sees all currencies, the default first; only an operator adds one', async () => {
    const { items } = (await rain.user('ann').get('/v1/currencies')).body;
    expect(items).toEqual([
      { code: 'CNY', kind: 'money', decimals: 2, name: 'Chinese Yuan' },
      { code: 'COINS', kind: 'points', decimals: 0, name: 'Coins' },
      { code: 'KWD', kind: 'money', decimals: 3, name: 'Kuwaiti Dinar' },
    ]);
    const body = { code: 'GEMS', kind: 'points', name: 'Gems' };
    for (const role of ['user', 'campaign', 'finance', 'support'] as const)
      expect((await rain.as(role).post('/v1/currencies', body)).status).toBe(403);
  });

  it.each([
    ['COINS', '1.5', { rule: 'size', unit: 'decimals', maximum: '0' }],
    ['KWD', '1.0005', { rule: 'size', unit: 'decimals', maximum: '3' }],
    ['CNY', '1.005', { rule: 'size', unit: 'decimals', maximum: '2' }],
  ])(
    'in %s is refused the amount %s in every field, with the number of decimals that it may have',
    async (currency, amount, fault) => {
      const split = { kind: 'random', min: amount };
      const body = planOf({ sponsorId: undefined, totalAmount: amount, currency, packetCount: 1, split });
      const answer = await rain.user('ann').post('/v1/activities', body);
      expect(answer).toMatchObject({
        status: 400,
        body: {
          errors: [
            { field: 'totalAmount', ...fault },
            { field: 'split.min', ...fault },
          ],
        },
      });
      const deposit = await operator().post('/v1/wallets/ann/deposits', { amount, currency });
      expect(deposit).toMatchObject({ status: 400, body: { errors: [{ field: 'amount', ...fault }] } });
    },
  );

  it.each(['coins', 'EUR', 'XTS', 'CODE1', '', 7, null])(
    'is answered with the existing currencies if it names %p, in bodies and queries',
    async (currency) => {
      const values = ['CNY', 'COINS', 'KWD'];
      const answer = await operator().post('/v1/wallets/ann/deposits', { amount: '1', currency });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'currency' }] } });
      if (typeof currency !== 'string') return;
      expect(answer.body.errors[0]).toMatchObject({ rule: 'one-of', values });
      const read = await rain.user('ann').get(`/v1/me/wallet?currency=${currency}`);
      expect(read).toMatchObject({ status: 400, body: { errors: [{ field: 'currency', values }] } });
    },
  );
});
