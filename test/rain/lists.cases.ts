import { ApiClient } from '../../libs/client';
import { openDemo, openDemoActivity } from '../../src/dev/local/demo-activity';
import { rain } from '../harness/shared-installation';

describe('lists for operators', () => {
  const items = async (path: string) => (await rain.operator().get(path)).body.items;
  const idsOf = async (query: string) =>
    ((await items(`/v1/activities?limit=100&${query}`)) as { id: string }[]).map(({ id }) => id);

  describe('the list of activities', () => {
    const ids: Record<string, string> = {};

    beforeAll(async () => {
      const plan = { sponsorId: 'kim', packetCount: 1, totalAmount: '1.00' };
      ids.scheduled = await rain.createActivity({ ...plan, opensInMs: 1_800_000 });
      ids.open = await rain.createActivity(plan);
      ids['sold-out'] = await rain.createActivity(plan);
      await rain.tap(ids['sold-out'], 'ann');
      ids.settled = await rain.createActivity(plan);
      await rain.closeActivity(ids.settled);
      ids.closed = await rain.createActivity(plan);
      await rain.operator().post('/v1/wallets/icy/freeze');
      await rain.tap(ids.closed, 'icy');
      await rain.closeActivity(ids.closed);
      ids.foreign = await rain.createActivity({ ...plan, sponsorId: 'lou', name: 'Frühling 100% 春节红包' });
    });

    it.each(['scheduled', 'open', 'sold-out', 'closed', 'settled'])(
      'shows the activities of a sponsor that are %s',
      async (phase) => {
        expect(await idsOf(`sponsorId=kim&phase=${phase}`)).toEqual([ids[phase]]);
      },
    );

    it('shows all activities of a sponsor, and all in a phase, newest first', async () => {
      expect(await idsOf('sponsorId=lou')).toEqual([ids.foreign]);
      expect(await idsOf('sponsorId=nobody')).toEqual([]);
      expect((await idsOf('phase=open')).slice(0, 2)).toEqual([ids.foreign, ids.open]);
    });

    it('finds activities by a part of their name, and does not interpret wildcards', async () => {
      for (const part of ['FRü', '0% 春', '春节'])
        expect(await idsOf(`sponsorId=lou&name=${encodeURIComponent(part)}`)).toEqual([ids.foreign]);
      expect(await idsOf(`phase=open&name=${encodeURIComponent('春节')}`)).toEqual([ids.foreign]);
      for (const part of ['%25', 'F_ü', 'summer'])
        expect(await idsOf(`sponsorId=kim&name=${part}`)).toEqual([]);
      expect(await idsOf('sponsorId=kim&phase=open&name=rain')).toEqual([ids.open]);
    });

    it('is read page by page', async () => {
      const path = '/v1/activities?sponsorId=kim&limit=3';
      const first = (await rain.operator().get(path)).body;
      const rest = (await rain.operator().get(`${path}&cursor=${first.nextCursor}`)).body;
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(await idsOf('sponsorId=kim'));
      expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([3, 2, null]);
    });

    it('finds the demo activity of an earlier start while it is open', async () => {
      const operator = new ApiClient(rain.url, rain.tokenOf('op1', 'operator'));
      const plan = { sponsorId: 'demo-sponsor', totalAmount: '2.00', packetCount: 2 };
      expect(await openDemo(operator, plan)).toBeUndefined();
      const { id } = await openDemoActivity(operator, plan);
      expect(await openDemo(operator, plan)).toMatchObject({ id, totalAmount: '2.00', packetCount: 2 });
      await rain.closeActivity(id);
      expect(await openDemo(operator, plan)).toBeUndefined();
    });

    it.each(['phase=raining', 'sponsorId=a%20b', 'name='])(
      'refuses %s and names the field',
      async (query) => {
        const { status, body } = await rain.operator().get(`/v1/activities?${query}`);
        expect([status, body.errors[0].field]).toEqual([400, query.split('=')[0]]);
      },
    );
  });

  it('find the packet of one user among all those of an activity', async () => {
    const activityId = await rain.createActivity({ packetCount: 3, totalAmount: '3.00' });
    const path = `/v1/activities/${activityId}/grabs`;
    for (const user of ['u1', 'u2', 'u3']) await rain.user(user).post(path);
    expect(await items(path)).toHaveLength(3);
    expect(await items(`${path}?userId=u2`)).toEqual([
      expect.objectContaining({ userId: 'u2', activityId, currency: 'CNY' }),
    ]);
    expect(await items(`${path}?userId=u4`)).toEqual([]);
  });

  it('find a win by its packet or by its claim, and no packet of another activity', async () => {
    const id = await rain.createActivity({ packetCount: 2, totalAmount: '2.00' });
    for (const user of ['w1', 'w2']) await rain.tap(id, user);
    const path = `/v1/activities/${id}/grabs`;
    const wins = (await items(path)) as { redPacketId: string; claimId: string; userId: string }[];
    for (const win of wins) {
      expect(await items(`${path}?redPacketId=${win.redPacketId}`)).toMatchObject([{ userId: win.userId }]);
      const claim = await rain.as('support').get(`/v1/claims/${win.claimId}`);
      expect(claim).toMatchObject({ status: 200, body: { activityId: id, userId: win.userId } });
    }
    const [first, second] = wins;
    expect(await items(`${path}?redPacketId=${first!.redPacketId}&userId=${second!.userId}`)).toEqual([]);
    expect(await items(`${path}?redPacketId=${BigInt(first!.redPacketId) + 10_000_000n}`)).toEqual([]);
    expect(await items(`${path}?redPacketId=${BigInt(id) * 10_000_000n + 9_999_999n}`)).toEqual([]);
    const { status, body } = await rain.operator().get(`${path}?redPacketId=x`);
    expect([status, body.errors[0].field]).toEqual([400, 'redPacketId']);
    const unknown = await rain.operator().get('/v1/claims/999999999');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'claim.not_found' } });
  });

  it('show callers their packet in one activity, and nothing if they have none', async () => {
    const plan = { sponsorId: 'pat', packetCount: 1, totalAmount: '1.00' };
    const [mine, other] = [await rain.createActivity(plan), await rain.createActivity(plan)];
    for (const id of [mine, other]) await rain.tap(id, id === mine ? 'lou' : 'sam');
    const found = async (query: string) => (await rain.user('lou').get(`/v1/me/packets?${query}`)).body.items;
    expect(await found(`activityId=${mine}`)).toMatchObject([{ activityId: mine }]);
    expect(await found(`activityId=${other}`)).toEqual([]);
    expect((await rain.user('lou').get('/v1/me/packets?activityId=x')).status).toBe(400);
  });

  describe('the list of ledger lines', () => {
    let activityId: string;

    beforeAll(async () => {
      activityId = await rain.createActivity({ sponsorId: 'may', packetCount: 1, totalAmount: '7.00' });
      await rain.createActivity({ sponsorId: 'may', packetCount: 1, totalAmount: '2.00' });
      await rain.closeActivity(activityId);
    });

    const lines = async (query = '') =>
      (await items(`/v1/wallets/may/entries?${query}`)).map(
        ({ kind, amount }: { kind: string; amount: string }) => `${kind} ${amount}`,
      );

    it('shows the lines of any wallet, by activity and by kind', async () => {
      expect(await lines()).toEqual([
        'refund 7.00',
        'fund -2.00',
        'deposit 2.00',
        'fund -7.00',
        'deposit 7.00',
      ]);
      expect(await lines(`activityId=${activityId}`)).toEqual(['refund 7.00', 'fund -7.00']);
      expect(await lines('kind=deposit')).toEqual(['deposit 2.00', 'deposit 7.00']);
      expect(await lines(`activityId=${activityId}&kind=refund`)).toEqual(['refund 7.00']);
    });

    it('shows the lines between two moments, given with any UTC offset', async () => {
      const funds = (await items('/v1/wallets/may/entries?kind=fund')) as { at: string }[];
      const [later, earlier] = funds.map(({ at }) => at) as [string, string];
      expect(await lines(`from=${later}`)).toEqual(['refund 7.00', 'fund -2.00']);
      expect(await lines(`to=${earlier}`)).toEqual(['deposit 7.00']);
      const everything = 'from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999999%2B14:00';
      expect(await lines(everything)).toHaveLength(5);
    });

    it('shows users the lines of their own wallet only', async () => {
      const mine = (await rain.user('may').get('/v1/me/wallet/entries?kind=refund')).body.items;
      expect(mine).toEqual([
        expect.objectContaining({ kind: 'refund', amount: '7.00', currency: 'CNY', reference: null }),
      ]);
      expect((await rain.user('u1').get('/v1/wallets/may/entries')).status).toBe(403);
    });

    it.each(['activityId=x', 'kind=gift', 'from=yesterday', 'to=2031-02-30T00:00:00Z'])(
      'refuses %s and names the field',
      async (query) => {
        const { status, body } = await rain.operator().get(`/v1/wallets/may/entries?${query}`);
        expect([status, body.errors[0].field]).toEqual([400, query.split('=')[0]]);
      },
    );
  });

  describe('the reference of a deposit in another system', () => {
    const deposit = (reference?: unknown, key?: string) =>
      rain.operator().post('/v1/wallets/ned/deposits', { amount: '1.00', reference }, { key });

    it('is shown in the answer, in the ledger lines and in the audit log', async () => {
      const { status, body } = await deposit('Überweisung 0042 🧧');
      expect([status, body]).toEqual([
        201,
        { transferId: body.transferId, balance: '1.00', currency: 'CNY', reference: 'Überweisung 0042 🧧' },
      ]);
      const [line] = await items('/v1/wallets/ned/entries');
      expect(line).toMatchObject({ transferId: body.transferId, reference: 'Überweisung 0042 🧧' });
      const [deed] = await items('/v1/audit-log?subject=wallet:ned');
      expect(deed.detail).toEqual({
        amount: '1.00',
        transferId: body.transferId,
        reference: 'Überweisung 0042 🧧',
      });
    });

    it('may be used twice, and may be left out', async () => {
      expect((await deposit('twice')).body.reference).toBe('twice');
      expect((await deposit('twice')).body.reference).toBe('twice');
      expect((await deposit()).body.reference).toBeNull();
    });

    it.each(['', ' ', 'x'.repeat(141), 7, null, 'two\nlines'])(
      'refuses %j and names the field',
      async (reference) => {
        const { status, body } = await deposit(reference);
        expect([status, body.errors[0].field]).toEqual([400, 'reference']);
      },
    );

    it('is never changed', async () => {
      await expect(rain.sql('delete from deposit_reference')).rejects.toThrow('never changed or deleted');
    });
  });
});
