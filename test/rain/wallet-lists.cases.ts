import { rain } from '../harness/shared-installation';

describe('for staff,', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const read = async (path: string, caller = rain.as('support')): Promise<any> => {
    const { status, body } = await caller.get(path);
    expect({ path, status, body }).toMatchObject({ status: 200 });
    return body;
  };

  const deposit = async (owner: string, amount: string, reference?: string): Promise<string> =>
    (await rain.operator().post(`/v1/wallets/${owner}/deposits`, { amount, reference })).body
      .transferId as string;

  /** All pages, of two items each. */
  async function pagesOf(path: string, nameOf: (item: Record<string, string>) => string | undefined) {
    const names: (string | undefined)[] = [];
    let cursor: string | null = '';
    do {
      const page: { items: Record<string, string>[]; nextCursor: string | null } = await read(
        `${path}&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      names.push(...page.items.map(nameOf));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return names;
  }

  it('wallets are listed by the beginning of their owners’ ids, whatever characters it has, each once and in order', async () => {
    for (const owner of ['list%3A1', 'list%3A20', 'list%3Aa', 'list_x', 'LIST%3A3'])
      await deposit(owner, '3.00');
    await rain.operator().post('/v1/wallets/list%3A20/freeze');
    const ownersOf = (query: string) => pagesOf(`/v1/wallets?${query}`, ({ ownerId }) => ownerId);
    expect(await ownersOf('ownerId=list%3A')).toEqual(['list:1', 'list:20', 'list:a']);
    expect(await ownersOf('ownerId=list')).toEqual(['list:1', 'list:20', 'list:a', 'list_x']);
    expect(await ownersOf('ownerId=list&status=frozen')).toEqual(['list:20']);
    expect(await ownersOf('ownerId=list&status=active')).toEqual(['list:1', 'list:a', 'list_x']);
    expect(await ownersOf('ownerId=lisz')).toEqual([]);
    const { items } = await read('/v1/wallets?ownerId=list%3A1');
    expect(items).toEqual([
      {
        ownerId: 'list:1',
        balance: '3.00',
        currency: 'CNY',
        status: 'active',
        createdAt: expect.any(String),
      },
    ]);
  });

  it('sponsors are listed once each, with what their wallets and activities that have not ended hold', async () => {
    for (const sponsorId of ['spend:a', 'spend:b', 'spend:c'])
      for (const totalAmount of ['4.00', '6.00'])
        await rain.createActivity({ sponsorId, totalAmount, packetCount: 2 });
    const ended = await rain.createActivity({ sponsorId: 'spend:a', totalAmount: '9.00', packetCount: 2 });
    await rain.closeActivity(ended);
    await rain.operator().post('/v1/wallets/spend%3Ab/freeze');
    const sponsorsOf = (query: string) => pagesOf(`/v1/sponsors?${query}`, ({ sponsorId }) => sponsorId);
    expect(await sponsorsOf('sponsorId=spend%3A')).toEqual(['spend:a', 'spend:b', 'spend:c']);
    const all = await sponsorsOf('');
    expect(all).toEqual(expect.arrayContaining(['spend:a', 'spend:b', 'spend:c']));
    expect(new Set(all).size).toBe(all.length);
    const { items } = await read('/v1/sponsors?sponsorId=spend%3A');
    expect(items[0]).toMatchObject({
      inActivities: '10.00',
      activities: 2,
      status: 'active',
      currency: 'CNY',
    });
    expect(items[0].balance).toBe((await read('/v1/wallets/spend%3Aa')).balance);
    expect(items[1].status).toBe('frozen');
  });

  it('a transfer is found by its id, and deposits by their reference', async () => {
    const [first, second] = [
      await deposit('payee', '5.00', 'Invoice 7/2'),
      await deposit('payer', '6.00', 'Invoice 7/2'),
    ];
    expect(await read(`/v1/transfers/${first}`)).toEqual({
      transferId: first,
      kind: 'deposit',
      amount: '5.00',
      currency: 'CNY',
      from: { kind: 'funding', ownerId: expect.any(String) },
      to: { kind: 'wallet', ownerId: 'payee' },
      activityId: null,
      reference: 'Invoice 7/2',
      at: expect.any(String),
    });
    const found = (transfers: { transferId: string }[]) => transfers.map(({ transferId }) => transferId);
    expect(found((await read('/v1/deposits?reference=Invoice+7%2F2')).items)).toEqual([second, first]);
    const page = await read('/v1/deposits?reference=Invoice+7%2F2&limit=1');
    expect(
      found((await read(`/v1/deposits?reference=Invoice+7%2F2&cursor=${page.nextCursor}`)).items),
    ).toEqual([first]);
    expect((await read('/v1/deposits?reference=Invoice')).items).toEqual([]);
    expect((await rain.as('support').get('/v1/deposits')).body.errors).toMatchObject([
      { field: 'reference' },
    ]);
    expect((await rain.as('support').get('/v1/transfers/999999999')).body.code).toBe('transfer.not_found');
  });

  it('a credit names the activity that paid it', async () => {
    const id = await rain.createActivity({ sponsorId: 'crediter', packetCount: 1, totalAmount: '2.00' });
    await rain.tap(id, 'credited');
    await rain.settled(id);
    const { items } = await read('/v1/wallets/credited/entries?kind=credit');
    expect(await read(`/v1/transfers/${items[0].transferId}`)).toMatchObject({
      kind: 'credit',
      activityId: id,
      from: { kind: 'escrow' },
      to: { kind: 'wallet', ownerId: 'credited' },
    });
  });
});
