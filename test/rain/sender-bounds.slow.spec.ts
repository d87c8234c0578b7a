import type { Answer } from '../harness/client';
import { rain, shareInstallation } from '../harness/shared-installation';

shareInstallation({
  RATE_LIMIT_USER_PER_SECOND: '100000',
  SENDER_LARGEST_PACKET: '2.00',
  SENDER_PACKETS_MAX: '10',
  SENDER_ACTIVITIES_DAILY_MAX: '7',
  SENDER_SUM_DAILY_MAX: 'CNY=20.00',
});

const PLAIN = { name: 'Packets', totalAmount: '5.00', packetCount: 5 };

let senders = 0;

async function funded(): Promise<string> {
  const senderId = `sender-${(senders += 1)}`;
  await rain.deposit(senderId, '1000.00');
  return senderId;
}

const send = (senderId: string, terms: object = {}): Promise<Answer> =>
  rain.user(senderId).post('/v1/activities', { ...PLAIN, ...terms });

const topUp = (senderId: string, id: string, body: object): Promise<Answer> =>
  rain.user(senderId).post(`/v1/activities/${id}/top-ups`, body);

const bounds = async (senderId: string) => (await rain.user(senderId).get('/v1/me/sender-bounds')).body;

const SECONDS_OF_A_DAY = 86_400;

describe('a packet of a user', () => {
  it.each([
    ['the total over all packets', { totalAmount: '20.01', packetCount: 10 }, 'totalAmount', '20.00'],
    [
      'an equal split',
      { totalAmount: '8.00', packetCount: 2, split: { kind: 'equal' } },
      'totalAmount',
      '4.00',
    ],
    ['a random split without bounds', { split: { kind: 'random' } }, 'split.max', '2.00'],
    ['a random split within larger bounds', { split: { kind: 'random', max: '2.01' } }, 'split.max', '2.00'],
    [
      'a tier',
      {
        totalAmount: '7.00',
        packetCount: 3,
        split: {
          kind: 'tiers',
          tiers: [
            { amount: '2.00', count: 2 },
            { amount: '3.00', count: 1 },
          ],
        },
      },
      'split.tiers[1].amount',
      '2.00',
    ],
    ['the number of packets', { packetCount: 11 }, 'packetCount', '10'],
  ])('is refused if %s could exceed the bounds', async (_, terms, field, maximum) => {
    const { status, body } = await send(await funded(), terms);
    expect({ status, code: body.code, errors: body.errors }).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: [{ field, rule: 'maximum', maximum }],
    });
  });

  it('is kept within the bounds if its sender does not say how to split', async () => {
    const senderId = await funded();
    const { body } = await send(senderId, { totalAmount: '19.00', packetCount: 10 });
    const { split } = (await rain.user(senderId).get(`/v1/activities/${body.id}/template`)).body;
    expect(split).toEqual({ kind: 'random', max: '2.00' });
    expect((await send(senderId, { totalAmount: '1.00', packetCount: 1 })).status).toBe(201);
  });

  it('is bounded in a top-up, too', async () => {
    const senderId = await funded();
    const { id } = (await send(senderId)).body;
    const refused = { status: 400, body: { code: 'request.invalid' } };
    expect(await topUp(senderId, id, { amount: '1.00', packetCount: 6 })).toMatchObject({
      ...refused,
      body: { errors: [{ field: 'packetCount', maximum: '5' }] },
    });
    expect(await topUp(senderId, id, { amount: '4.00', packetCount: 1 })).toMatchObject({
      ...refused,
      body: { errors: [{ field: 'amount', maximum: '2.00' }] },
    });
    expect(
      (await topUp(senderId, id, { amount: '2.00', packetCount: 5, split: { kind: 'equal' } })).status,
    ).toBe(201);
    expect(await bounds(senderId)).toMatchObject({ activitiesToday: 1, sentToday: '7.00' });
  });

  it('has no bounds if staff create it', async () => {
    const senderId = await funded();
    for (let i = 0; i < 8; i++)
      await rain.createActivity({ sponsorId: senderId, totalAmount: '100.00', packetCount: 20 });
    expect(await bounds(senderId)).toMatchObject({ activitiesToday: 0, sentToday: '0.00' });
  });
});

describe('the day of a user', () => {
  it('has room for exactly as many activities as allowed, of 100 that are created at once, and an end makes no more room', async () => {
    const senderId = await funded();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        patiently(() => send(senderId, { totalAmount: '0.10', packetCount: 1 })),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { status, body, headers } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 429, code: 'sender.day_full' });
      expect(body.detail).toMatch(
        /^A user may create 7 activities in a UTC day; the next one begins at \S+T00:00:00Z\.$/,
      );
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(SECONDS_OF_A_DAY);
    }
    const [{ body: first }] = answers.filter(({ status }) => status === 201) as [Answer];
    expect((await rain.user(senderId).post(`/v1/activities/${first.id}/close`)).status).toBe(200);
    expect((await send(senderId, { totalAmount: '0.10', packetCount: 1 })).status).toBe(429);
    expect(await bounds(senderId)).toMatchObject({
      activitiesToday: 7,
      activitiesPerDay: 7,
      sentToday: '0.70',
    });
  });

  it('never exceeds the allowed sum, even with 100 top-ups and creations at once', async () => {
    const senderId = await funded();
    const { id } = (await send(senderId, { totalAmount: '1.00', packetCount: 1 })).body;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        patiently(() =>
          i % 2 === 0
            ? topUp(senderId, id, { amount: '2.00', packetCount: 1 })
            : send(senderId, { totalAmount: '4.00', packetCount: 2 }),
        ),
      ),
    );
    const done = answers.filter(({ status }) => status === 201);
    const sumMinor = done.reduce(
      (sum, { body }) => sum + Math.round(Number(body.amount ?? body.totalAmount) * 100),
      100,
    );
    const wallet = (await rain.user(senderId).get('/v1/me/wallet')).body;
    expect(wallet.balance).toBe(((100_000 - sumMinor) / 100).toFixed(2));
    expect(sumMinor).toBeLessThanOrEqual(2_000);
    expect(sumMinor).toBeGreaterThan(1_800);
    expect((await bounds(senderId)).sentToday).toBe((sumMinor / 100).toFixed(2));
    const refused = answers.find(({ body }) => body.code === 'sender.day_full')!;
    expect(refused.body.errors).toMatchObject([{ rule: 'maximum' }]);
    const left = ((2_000 - sumMinor) / 100).toFixed(2);
    const last = await send(senderId, { totalAmount: '2.00', packetCount: 2 });
    expect(last).toMatchObject({
      status: 429,
      body: { errors: [{ field: 'totalAmount', rule: 'maximum', maximum: left }] },
    });
  });

  it('starts again at midnight UTC', async () => {
    const senderId = await funded();
    for (let i = 0; i < 4; i++) await send(senderId);
    expect((await send(senderId)).status).toBe(429);
    await rain.sql(`update sender_day_count set day = day - 1 where user_id = '${senderId}'`);
    expect((await send(senderId)).status).toBe(201);
    expect(await bounds(senderId)).toMatchObject({ activitiesToday: 1, sentToday: '5.00' });
  });

  it('has no room for a currency without a bound if others have one', async () => {
    await rain
      .operator()
      .post('/v1/currencies', { code: 'COINS', kind: 'points', decimals: 0, name: 'Coins' });
    const senderId = await funded();
    await rain.as('finance').post(`/v1/wallets/${senderId}/deposits`, { amount: '100', currency: 'COINS' });
    const { status, body } = await send(senderId, { totalAmount: '1', packetCount: 1, currency: 'COINS' });
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ field: 'totalAmount', maximum: '0' }],
    });
  });
});

/** A user may have one heavy request at a time: others are told to try again. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    const isFinal = answer.status === 201 || answer.status === 400 || answer.body.code === 'sender.day_full';
    if (isFinal) return answer;
    expect([409, 429, 503]).toContain(answer.status);
  }
}
