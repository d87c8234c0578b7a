import { WORDS } from '../harness/console-words';
import { rain } from '../harness/shared-installation';

describe('the audit log', () => {
  const deeds = async (query = '') => (await rain.operator().get(`/v1/audit-log${query}`)).body;

  it('records who did what, with the state before and after', async () => {
    await rain.deposit('sam', '5.00');
    await rain.operator().post('/v1/wallets/sam/freeze');
    await rain.operator().post('/v1/wallets/sam/unfreeze');
    const activityId = await rain.createActivity({ packetCount: 2 });
    await rain.closeActivity(activityId);

    const { items } = await deeds();
    const told = (items as Record<string, unknown>[]).map(({ action, subject, before, after }) => ({
      action,
      subject,
      before,
      after,
    }));
    expect(told).toEqual(
      expect.arrayContaining([
        {
          action: 'wallet.deposit',
          subject: 'wallet:sam',
          before: { balance: '0.00' },
          after: { balance: '5.00' },
        },
        {
          action: 'wallet.freeze',
          subject: 'wallet:sam',
          before: { status: 'active' },
          after: { status: 'frozen' },
        },
        {
          action: 'wallet.unfreeze',
          subject: 'wallet:sam',
          before: { status: 'frozen' },
          after: { status: 'active' },
        },
        expect.objectContaining({
          action: 'activity.create',
          subject: `activity:${activityId}`,
          before: {},
          after: expect.objectContaining({ status: 'active', packetCount: 2 }),
        }),
        {
          action: 'activity.close',
          subject: `activity:${activityId}`,
          before: { status: 'active' },
          after: { status: 'closed' },
        },
      ]),
    );
    expect(items[0]).toMatchObject({ actorId: expect.any(String), at: expect.stringMatching(/Z$/) });
  });

  it('does not record an action that changed nothing', async () => {
    const activityId = await rain.createActivity();
    const close = () => rain.closeActivity(activityId);
    expect([(await close()).status, (await close()).status]).toEqual([200, 200]);
    for (const status of ['freeze', 'freeze', 'unfreeze', 'unfreeze']) {
      expect((await rain.operator().post(`/v1/wallets/still/${status}`)).status).toBe(200);
    }
    const actionsOn = async (subject: string) =>
      (await deeds(`?subject=${subject}`)).items.map(({ action }: { action: string }) => action);
    expect(await actionsOn(`activity:${activityId}`)).toEqual(['activity.close', 'activity.create']);
    expect(await actionsOn('wallet:still')).toEqual(['wallet.unfreeze', 'wallet.freeze']);
  });

  it('can be read page by page, by actor and by subject', async () => {
    for (let i = 0; i < 3; i++) await rain.deposit('tom', '1.00');
    const first = await deeds('?subject=wallet:tom&limit=2');
    const rest = await deeds(`?subject=wallet:tom&limit=2&cursor=${first.nextCursor}`);
    expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([2, 1, null]);
    const balances = [...first.items, ...rest.items].map(({ after }) => after.balance);
    expect(balances).toEqual(['3.00', '2.00', '1.00']);
    expect((await deeds('?actorId=nobody')).items).toEqual([]);
    expect((await deeds('?subject=tom')).errors).toEqual([expect.objectContaining({ field: 'subject' })]);
  });

  it('can be read by action and by day, together with any other filter', async () => {
    await rain.operator('day-worker').post('/v1/wallets/dated/freeze');
    await rain.operator('day-worker').post('/v1/wallets/dated/unfreeze');
    const actionsOf = async (query: string) =>
      (await deeds(`?actorId=day-worker&${query}`)).items.map(({ action }: { action: string }) => action);
    expect(await actionsOf('action=wallet.freeze')).toEqual(['wallet.freeze']);
    expect(await actionsOf('action=wallet.thaw')).toEqual([]);
    const [{ at }] = (await deeds('?actorId=day-worker')).items as [{ at: string }];
    const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const [today, yesterday, tomorrow] = [0, -86_400_000, 86_400_000].map((ms) => dayAt(Date.parse(at) + ms));
    expect(await actionsOf(`day=${today}`)).toContain('wallet.unfreeze');
    expect(await actionsOf(`day=${today}&action=wallet.unfreeze&subject=wallet:dated`)).toEqual([
      'wallet.unfreeze',
    ]);
    for (const day of [yesterday, tomorrow])
      expect(await actionsOf(`day=${day}&action=wallet.unfreeze`)).toEqual([]);
    for (const [field, value] of [
      ['action', 'freeze'],
      ['action', 'Wallet.Freeze'],
      ['day', '2031-02-30'],
      ['day', 'today'],
    ])
      expect((await deeds(`?${field}=${value}`)).errors).toEqual([expect.objectContaining({ field })]);
  });

  it('has only fields for which the console has readable names', async () => {
    const named = { ...WORDS.en.channelLabels, ...WORDS.en.labels, ...WORDS.en.audit.fields };
    const names = await rain.sql<{ name: string }>(
      `select distinct jsonb_object_keys(before || after || detail) as name from audit_log`,
    );
    expect(names.map(({ name }) => name).filter((name) => !Object.hasOwn(named, name))).toEqual([]);
    expect(Object.keys(WORDS.zh.audit.fields).sort()).toEqual(Object.keys(WORDS.en.audit.fields).sort());
  });

  it.each([
    'update audit_log set actor_id = actor_id',
    'delete from audit_log',
    'truncate audit_log',
    'update transfer set amount_minor = amount_minor',
    'delete from transfer',
    'truncate transfer',
    'update top_up set packet_count = packet_count',
    'delete from top_up',
    'truncate top_up',
  ])('cannot be changed, even by the owner of the table: %s', async (sql) => {
    await expect(rain.sql(sql)).rejects.toThrow('never changed or deleted');
  });
});
