import type { Role } from '../../libs/roles';
import type { Answer } from '../harness/client';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

const REASON = 'Deposited twice.';

describe('the reversal of a deposit, which always needs two people,', () => {
  const finance = (sub: string) => rain.as('finance', sub);

  const deposit = async (owner: string, amount = '100.00', by = 'ann'): Promise<string> => {
    const { status, body } = await finance(by).post(`/v1/wallets/${owner}/deposits`, { amount });
    expect(status).toBe(201);
    return body.transferId as string;
  };
  const ask = (depositId: string, by = 'ann', key?: string): Promise<Answer> =>
    finance(by).post(`/v1/deposits/${depositId}/reverse`, { reason: REASON }, { key });
  const asked = async (depositId: string, by = 'ann'): Promise<string> => {
    const { status, body } = await ask(depositId, by);
    expect([status, body.status]).toEqual([202, 'pending']);
    return body.id as string;
  };
  const approve = (id: string, by = 'bob', role: Role = 'finance'): Promise<Answer> =>
    rain.as(role, by).post(`/v1/approvals/${id}/approve`);
  const reverse = async (depositId: string): Promise<void> => {
    expect((await approve(await asked(depositId))).status).toBe(200);
  };
  const balanceOf = async (owner: string): Promise<string> =>
    (await finance('ann').get(`/v1/wallets/${owner}`)).body.balance;
  const entriesOf = async (owner: string) =>
    (await finance('ann').get(`/v1/wallets/${owner}/entries`)).body.items as Record<string, unknown>[];
  const createRain = (sponsorId: string, totalAmount: string): Promise<Answer> =>
    rain.operator().post('/v1/activities', planOf({ sponsorId, totalAmount, packetCount: 1 }));

  it('moves nothing until another person approves it, and then takes the whole deposit back, on record', async () => {
    const depositId = await deposit('booked-twice');
    const pending = await ask(depositId, 'ann', 'reversal-asked-once');
    expect(pending).toMatchObject({
      status: 202,
      body: {
        action: 'wallet.reverse-deposit',
        subject: 'wallet:booked-twice',
        amount: '100.00',
        terms: { depositId, reason: REASON },
        askedBy: 'ann',
      },
    });
    expect(await ask(depositId, 'ann', 'reversal-asked-once')).toMatchObject({
      status: 202,
      body: pending.body,
    });
    expect(await balanceOf('booked-twice')).toBe('100.00');

    expect((await approve(pending.body.id)).body).toMatchObject({ status: 'approved', decidedBy: 'bob' });
    expect(await balanceOf('booked-twice')).toBe('0.00');
    const [reversal, original, ...more] = await entriesOf('booked-twice');
    expect([reversal, original, more]).toMatchObject([
      { kind: 'reversal', amount: '-100.00', reverses: depositId, reversedBy: null, activityId: null },
      { kind: 'deposit', transferId: depositId, reversedBy: reversal!.transferId, reverses: null },
      [],
    ]);
    const { items } = (await finance('ann').get('/v1/audit-log?subject=wallet:booked-twice')).body;
    expect(items[0]).toMatchObject({
      action: 'wallet.reverse-deposit',
      actorId: 'bob',
      before: { balance: '100.00' },
      after: { balance: '0.00' },
      detail: { depositId, transferId: reversal!.transferId, amount: '100.00', reason: REASON },
    });
    expect((await finance('ann').get('/v1/wallets/booked-twice/entries?kind=reversal')).body.items).toEqual([
      reversal,
    ]);
  });

  it('is not approved by the person who asked for it, in no role and through no server', async () => {
    const depositId = await deposit('alone-deposit');
    const id = await asked(depositId);
    for (const role of ['finance', 'operator'] as const)
      expect(await approve(id, 'ann', role)).toMatchObject({ status: 403, body: { code: 'approval.own' } });
    for (const role of ['campaign', 'support', 'server', 'user'] as const)
      expect((await approve(id, 'bob', role)).status).toBe(403);
    expect(await balanceOf('alone-deposit')).toBe('100.00');
  });

  it.each(['campaign', 'support', 'user', 'server'] as const)('cannot be asked for by %s', async (role) => {
    const depositId = await deposit(`not-${role}`);
    const caller = role === 'server' ? rain.server('ann') : rain.as(role);
    const path = `/v1/deposits/${depositId}/reverse`;
    expect(await caller.post(path, { reason: REASON })).toMatchObject({
      status: 403,
      body: { code: 'auth.forbidden' },
    });
  });

  it('happens once, no matter who asks again and how many of its approvals are waiting', async () => {
    const depositId = await deposit('once-deposit');
    await deposit('once-deposit');
    const ids = await Promise.all(['ann', 'cid', 'dan', 'eve'].map((by) => asked(depositId, by)));
    const answers = await Promise.all(ids.map((id, i) => approve(id, `bob-${i}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    const [{ transferId }] = (await entriesOf('once-deposit')) as [{ transferId: string }];
    expect(refused.body).toMatchObject({
      code: 'deposit.reversed',
      detail: `Transfer ${transferId} has reversed deposit ${depositId}.`,
    });
    expect(await ask(depositId)).toMatchObject({ status: 409, body: { code: 'deposit.reversed' } });
    expect(await balanceOf('once-deposit')).toBe('100.00');
  });

  it('takes back all or nothing: money in a rain is not there until its refund', async () => {
    const depositId = await deposit('rainy-deposit');
    const id = await asked(depositId);
    const created = await createRain('rainy-deposit', '60.00');
    const lacking = {
      status: 422,
      body: {
        code: 'wallet.insufficient_funds',
        detail:
          `The wallet of rainy-deposit holds 40.00, and deposit ${depositId} was 100.00. ` +
          'A deposit is reversed whole or not at all.',
      },
    };
    expect(await approve(id)).toMatchObject(lacking);
    expect(await ask(depositId)).toMatchObject(lacking);
    expect((await finance('ann').get(`/v1/approvals/${id}`)).body.status).toBe('pending');
    expect(await balanceOf('rainy-deposit')).toBe('40.00');

    await rain.closeActivity(created.body.id);
    expect((await approve(id)).status).toBe(200);
    expect(await balanceOf('rainy-deposit')).toBe('0.00');
  });

  it('takes back the sum of a deposit even if only a later one has filled the wallet again', async () => {
    const first = await deposit('refilled-deposit');
    await createRain('refilled-deposit', '100.00');
    expect((await ask(first)).body.code).toBe('wallet.insufficient_funds');
    const second = await deposit('refilled-deposit', '150.00');
    await reverse(first);
    expect(await balanceOf('refilled-deposit')).toBe('50.00');
    expect((await ask(second)).body.code).toBe('wallet.insufficient_funds');
    const kinds = (await entriesOf('refilled-deposit')).map(({ kind, reversedBy }) => [
      kind,
      reversedBy !== null,
    ]);
    expect(kinds).toEqual([
      ['reversal', false],
      ['deposit', false],
      ['fund', false],
      ['deposit', true],
    ]);
  });

  it('reaches a frozen wallet, which keeps a mistaken deposit from being spent, and leaves it frozen', async () => {
    const depositId = await deposit('icy-deposit');
    await finance('ann').post('/v1/wallets/icy-deposit/freeze');
    await reverse(depositId);
    expect((await finance('ann').get('/v1/wallets/icy-deposit')).body).toMatchObject({
      balance: '0.00',
      status: 'frozen',
    });
  });

  it('leaves the budget of the sponsor as it was', async () => {
    const depositId = await deposit('thrifty-sponsor', '100.00');
    await deposit('thrifty-sponsor', '30.00');
    const budget = '/v1/wallets/thrifty-sponsor/budget';
    await rain.operator().patch(budget, { perDay: '50.00' });
    await createRain('thrifty-sponsor', '30.00');
    const before = (await finance('ann').get(budget)).body;
    await reverse(depositId);
    expect([(await finance('ann').get(budget)).body, before.spentToday]).toEqual([before, '30.00']);
  });

  it('is answered 404 for every transfer that is not a deposit, and 400 for invalid ids and reasons', async () => {
    const depositId = await deposit('various-deposit');
    const { body: created } = await createRain('various-deposit', '60.00');
    await rain.tap(created.id, 'various-winner');
    await rain.settled(created.id);
    await reverse(await deposit('various-deposit', '1.00'));
    const { body: unused } = await createRain('various-deposit', '40.00');
    await rain.closeActivity(unused.id);
    const lines = [...(await entriesOf('various-deposit')), ...(await entriesOf('various-winner'))];
    const others = lines.filter(({ kind }) => kind !== 'deposit');
    expect([...new Set(others.map(({ kind }) => kind))].sort()).toEqual([
      'credit',
      'fund',
      'refund',
      'reversal',
    ]);
    for (const id of [...others.map(({ transferId }) => transferId as string), '9223372036854775807'])
      expect(await ask(id)).toMatchObject({ status: 404, body: { code: 'deposit.not_found' } });
    for (const id of ['0', '-1', '1.5', 'abc', '1e3', '9223372036854775808', `${depositId}%20`, '%00', '٣'])
      expect([id, (await ask(id)).status]).toEqual([id, 400]);
    for (const reason of [undefined, '', 'ab', 7, 'x'.repeat(501)])
      expect(await finance('ann').post(`/v1/deposits/${depositId}/reverse`, { reason })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'reason' }] },
      });
  });

  it('never takes money that a rain or a payout takes at the same moment, nor the other way round', async () => {
    const { id: channelId } = (
      await rain.operator().post('/v1/payout-channels', { name: 'Shop', profile: { smallest: '1.00' } })
    ).body;
    for (let round = 0; round < 5; round += 1) {
      const owner = `busy-${round}`;
      const depositId = await deposit(owner);
      const ids = await Promise.all(['ann', 'cid', 'dan'].map((by) => asked(depositId, by)));
      const [created, paid, ...reversals] = await Promise.all([
        createRain(owner, '80.00'),
        rain.user(owner).post('/v1/me/payouts', { amount: '90.00', channelId }),
        ...ids.map((id, i) => approve(id, `bob-${i}`)),
      ]);
      const taken = [created, paid, ...reversals].filter(({ status }) => status < 300);
      expect(taken).toHaveLength(1);
      const left = created.status === 201 ? '20.00' : paid.status === 201 ? '10.00' : '0.00';
      expect(await balanceOf(owner)).toBe(left);
    }
  });
});
