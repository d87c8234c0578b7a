import { cents, planOf, sumOf } from '../harness/installation';
import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

describe('a whole rain', () => {
  const balanceOf = async (owner: string): Promise<string> =>
    (await rain.operator().get(`/v1/wallets/${owner}`)).body.balance;

  it('gives 60 packets to 60 of 180 users who all tap twice at once, and pays every cent', async () => {
    const activityId = await rain.createActivity({ totalAmount: '300.00', packetCount: 60 });
    const users = Array.from({ length: 180 }, (_, i) => `crowd-${i}`);

    const rainfall = Promise.all(
      [...users, ...users].map(async (user) => ({ user, ...(await rain.tap(activityId, user)) })),
    );
    await rain.verify();
    const answers = await rainfall;

    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    const winners = answers.filter((answer) => answer.body.code === '0');
    const again = answers.filter((answer) => answer.body.code === '1');
    expect(winners).toHaveLength(60);
    expect(again).toHaveLength(60);
    expect(new Set(winners.map((winner) => winner.user)).size).toBe(60);
    expect(new Set(winners.map((winner) => winner.body.redPacketId)).size).toBe(60);
    expect(sumOf(winners.map((winner) => winner.body.amount))).toBe(cents('300.00'));
    for (const { user, body } of again) {
      const { redPacketId, amount } = winners.find((winner) => winner.user === user)!.body;
      expect(body).toEqual({ code: '1', redPacketId, amount });
    }
    const losers = answers.filter((answer) => answer.body.code === '-1');
    expect(new Set(losers.map((loser) => loser.body.reason))).toEqual(new Set(['sold-out']));

    await rain.settled(activityId);
    for (const { user, body } of winners) expect(await balanceOf(user)).toBe(body.amount);
    expect(await rain.proof(activityId)).toMatchObject({
      verdict: 'balanced',
      credited: '300.00',
      unclaimed: '0.00',
      redis: { agrees: true, packetsLeft: 0, held: 60 },
    });
    expect((await rain.user('crowd-0').get(`/v1/activities/${activityId}`)).body.phase).toBe('sold-out');
  });

  it('gives a winner the same packet every time, even after the close', async () => {
    const activityId = await rain.createActivity();
    const first = await rain.tap(activityId, 'winner');
    expect(first.body.code).toBe('0');
    const again = { code: '1', redPacketId: first.body.redPacketId, amount: first.body.amount };
    expect((await rain.tap(activityId, 'winner')).body).toEqual(again);
    await rain.closeActivity(activityId);
    expect((await rain.tap(activityId, 'winner')).body).toEqual(again);
    await rain.redis.del(Object.values(rain.keys.activity(activityId)));
    expect((await rain.tap(activityId, 'winner')).body).toEqual(again);
  });

  it('refunds 6 of 10 packets once when 4 are won, and answers latecomers "closed"', async () => {
    const split = { kind: 'equal' };
    const activityId = await rain.createActivity({ sponsorId: 'refunded', totalAmount: '10.00', split });
    for (const user of ['a', 'b', 'c', 'd'])
      expect((await rain.tap(activityId, user)).body.amount).toBe('1.00');

    const closers = await Promise.all(Array.from({ length: 5 }, () => rain.closeActivity(activityId)));
    expect(closers.map((closer) => closer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(await balanceOf('refunded')).toBe('6.00');
    expect((await rain.tap(activityId, 'late')).body).toEqual({ code: '-1', reason: 'closed' });

    await rain.settled(activityId);
    expect(await rain.proof(activityId)).toMatchObject({
      verdict: 'balanced',
      credited: '4.00',
      refunded: '6.00',
      unclaimed: '0.00',
      escrowBalance: '0.00',
    });
    expect((await rain.operator().get(`/v1/activities/${activityId}`)).body.phase).toBe('settled');
  });

  it('closes by itself at the end of its window', async () => {
    const closesAt = new Date(Date.now() + 1_500).toISOString();
    const activityId = await rain.createActivity({ sponsorId: 'timed', totalAmount: '5.00', closesAt });
    await rain.win(activityId, 'early');
    await waitFor(async () => (await rain.proof(activityId)).refunded !== '0.00', { what: 'the refund' });
    expect((await rain.tap(activityId, 'late')).body).toEqual({ code: '-1', reason: 'closed' });
  });

  it('refunds everything when it is cancelled before it opens, and cannot be cancelled afterwards', async () => {
    const scheduled = await rain.createActivity({ sponsorId: 'canceller', opensInMs: 600_000 });
    const early = await rain.tap(scheduled, 'early');
    expect(early.body).toMatchObject({ code: '-1', reason: 'not-open' });
    expect(Date.parse(early.body.opensAt)).toBeGreaterThan(Date.now());

    const cancelled = await rain.user('canceller').post(`/v1/activities/${scheduled}/cancel`);
    expect(cancelled.body).toMatchObject({ cancelled: true, phase: 'settled' });
    expect(await balanceOf('canceller')).toBe('100.00');
    expect((await rain.tap(scheduled, 'early')).body).toEqual({ code: '-1', reason: 'closed' });

    const open = await rain.createActivity();
    const refused = await rain.operator().post(`/v1/activities/${open}/cancel`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'activity.already_open' } });
  });

  it('buries the claim of a frozen wallet, pays the others, and pays it once after the wallet is unfrozen and the claim replayed', async () => {
    const operator = rain.operator();
    expect((await operator.post('/v1/wallets/frosty/freeze')).body.status).toBe('frozen');
    const split = { kind: 'equal' };
    const activityId = await rain.createActivity({ totalAmount: '3.00', packetCount: 3, split });
    for (const user of ['frosty', 'warm1', 'warm2']) await rain.tap(activityId, user);
    await rain.settled(activityId);

    expect(await rain.proof(activityId)).toMatchObject({
      credited: '2.00',
      dead: '1.00',
      verdict: 'balanced',
    });
    expect(await balanceOf('warm1')).toBe('1.00');
    expect((await rain.user('frosty').get(`/v1/activities/${activityId}/grabs/me`)).body.settlement).toBe(
      'dead-letter',
    );
    const { items } = (await operator.get('/v1/dead-letters')).body;
    expect(items[0]).toMatchObject({
      userId: 'frosty',
      reason: 'wallet_frozen',
      amount: '1.00',
      status: 'open',
    });

    await operator.post('/v1/wallets/frosty/unfreeze');
    const replays = await Promise.all(
      Array.from({ length: 4 }, () => operator.post(`/v1/dead-letters/${items[0].id}/replay`)),
    );
    expect(replays.filter((replay) => replay.status === 200)).toHaveLength(1);
    await rain.settled(activityId);
    expect(await balanceOf('frosty')).toBe('1.00');
  });

  it('lets users send a rain from their own wallet only, and only as much as they have', async () => {
    const alice = rain.user('alice');
    await rain.deposit('alice', '5.00');
    const body = planOf({ sponsorId: undefined, totalAmount: '5.01', packetCount: 2 });
    expect(await alice.post('/v1/activities', body)).toMatchObject({
      status: 422,
      body: { code: 'wallet.insufficient_funds' },
    });
    expect(
      await alice.post('/v1/activities', { ...body, totalAmount: '5.00', sponsorId: 'bob' }),
    ).toMatchObject({ status: 400, body: { errors: [{ field: 'sponsorId' }] } });
    expect((await alice.post('/v1/activities', { ...body, totalAmount: '5.00' })).status).toBe(201);
    expect((await alice.get('/v1/me/wallet')).body.balance).toBe('0.00');
  });

  it('answers 404 to a tap at an unknown activity', async () => {
    expect(await rain.tap('999999', 'u1')).toMatchObject({
      status: 404,
      body: { code: 'activity.not_found' },
    });
  });

  it('shows who won what to the sponsor and to operators, page by page, and to no other user', async () => {
    const activityId = await rain.createActivity({ sponsorId: 'lister', packetCount: 5 });
    for (const user of ['p1', 'p2', 'p3', 'p4', 'p5']) await rain.tap(activityId, user);
    const path = `/v1/activities/${activityId}/grabs`;
    const first = (await rain.user('lister').get(`${path}?limit=3`)).body;
    expect(first.items).toHaveLength(3);
    const second = (await rain.operator().get(`${path}?limit=3&cursor=${first.nextCursor}`)).body;
    expect(second.nextCursor).toBeNull();
    const winners = [...first.items, ...second.items].map((item: { userId: string }) => item.userId);
    expect(winners).toEqual(['p5', 'p4', 'p3', 'p2', 'p1']);
    expect((await rain.user('stranger').get(path)).status).toBe(404);
    expect((await rain.user('stranger').get(`/v1/activities/${activityId}/reconciliation`)).status).toBe(404);
    expect((await rain.user('stranger').post(`/v1/activities/${activityId}/close`)).status).toBe(404);
  });

  it('shows users what they won and where the money came from', async () => {
    const activityId = await rain.createActivity({ totalAmount: '7.10', packetCount: 1 });
    await rain.tap(activityId, 'reader');
    await rain.settled(activityId);
    const reader = rain.user('reader');
    expect((await reader.get('/v1/me/wallet')).body).toEqual({
      balance: '7.10',
      pending: '0.00',
      currency: 'CNY',
    });
    expect((await reader.get('/v1/me/wallet/entries')).body.items).toMatchObject([
      { kind: 'credit', amount: '7.10', activityId },
    ]);
    expect((await reader.get('/v1/me/packets')).body.items).toMatchObject([
      { activityId, amount: '7.10', settlement: 'credited' },
    ]);
    expect(await reader.get(`/v1/activities/${Number(activityId) - 1}/grabs/me`)).toMatchObject({
      status: 404,
    });
  });
});
