import { createHash } from 'node:crypto';
import { ApiDocument } from '../harness/api-document';
import { rain } from '../harness/shared-installation';

const DAY_MS = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const [CNY, COINS] = ['CNY', 'MILES'];

describe('statements of wallets', () => {
  let document: ApiDocument;

  beforeAll(async () => {
    document = (await ApiDocument.read(rain.url))!;
    const operator = rain.operator();
    await operator.post('/v1/currencies', { code: COINS, kind: 'points', decimals: 0, name: 'Miles' });
    for (const [amount, currency] of [
      ['20.00', CNY],
      ['50', COINS],
    ])
      await operator.post('/v1/wallets/stella/deposits', { amount, currency, reference: '=HYPERLINK("x")' });
    await age('stella', 2);
    await operator.post('/v1/wallets/stella/deposits', { amount: '1.00' });
    await age('stella', 1);
  });

  /** Dates a wallet, and its transfers of today, back by days. */
  const age = (owner: string, days: number): Promise<unknown> =>
    rain.sql(`
      begin;
      set local session_replication_role = replica;
      update transfer_other set created_at = transfer_other.created_at - interval '${days} days'
        from account where account.id = credit_account_id and owner_id = '${owner}' and transfer_other.created_at > now() - interval '12 hours';
      update account set created_at = created_at - interval '${days} days' where owner_id = '${owner}';
      commit`);

  async function ask(path: string, accept?: string, method = 'GET', token = rain.tokenOf('stella')) {
    const headers = { authorization: `Bearer ${token}`, ...(accept && { accept }) };
    const response = await fetch(rain.url + path, { method, headers });
    const answer = { status: response.status, headers: response.headers, body: await response.text() };
    const given = { method, path, ...answer, headers: Object.fromEntries(response.headers) };
    if (method === 'GET') expect(document.undescribed(given)).toBeUndefined();
    return answer;
  }

  const problem = async (path: string, accept?: string) => {
    const { status, body } = await ask(path, accept);
    const { code, detail, errors: fields } = JSON.parse(body);
    return { status, code, detail, fields };
  };

  it('a day opens with the closing balance of the day before, in each of three formats', async () => {
    const before = JSON.parse((await ask(`/v1/me/statements/${dayAgo(2)}`)).body);
    const path = `/v1/me/statements/${dayAgo(1)}`;
    const statement = JSON.parse((await ask(path)).body);
    expect([before.opening, before.closing, statement.opening, statement.closing]).toEqual([
      ...['0.00', '20.00', '20.00', '21.00'],
    ]);
    const [{ transferId, at }] = statement.movements;
    expect(statement.movements).toEqual([
      {
        ...{ transferId, kind: 'deposit', amount: '1.00', counterparty: 'outside', at },
        ...{ activityId: null, payoutId: null, isLate: false, isEarly: false },
      },
    ]);
    const csv = (await ask(path, 'text/csv')).body.split('\r\n');
    expect(csv).toEqual([
      'transferId,kind,amount,currency,counterparty,activityId,payoutId,at,isLate,isEarly',
      `,opening,20.00,CNY,,,,${dayAgo(1)}T00:00:00.000Z,,`,
      `${transferId},deposit,1.00,CNY,outside,,,${at},false,false`,
      `,closing,21.00,CNY,,,,${dayAgo(0)}T00:00:00.000Z,,`,
      '',
    ]);
    const xml = await ask(path, 'application/xml');
    expect(xml.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(xml.body).toContain(`<NtryRef>${transferId}</NtryRef><Amt Ccy="CNY">1.00</Amt><CdtDbtInd>CRDT`);
  });

  it('have the digest of their bytes, which are the same for staff and the owner each time', async () => {
    for (const format of ['json', 'csv', 'camt053']) {
      const mine = await ask(`/v1/me/statements/${dayAgo(1)}?format=${format}`, 'image/png');
      const digest = createHash('sha256').update(mine.body).digest('base64');
      expect(mine.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
      const path = `/v1/wallets/stella/statements/${dayAgo(1)}?format=${format}`;
      const [own, head] = [
        rain.tokenOf('op1', 'operator'),
        await ask(`/v1/me/statements/${dayAgo(1)}?format=${format}`, undefined, 'HEAD'),
      ];
      expect((await ask(path, undefined, 'GET', own)).body).toBe(mine.body);
      expect([head.body, head.headers.get('repr-digest')]).toEqual(['', `sha-256=:${digest}:`]);
      expect(mine.body).not.toMatch(/stella|HYPERLINK/);
    }
  });

  it.each([
    ['today', 0],
    ['a future day', -3],
  ])('refuses %s, and says from when on it can be asked for', async (_, days) => {
    const next = new Date(Date.parse(dayAgo(days)) + DAY_MS).toISOString();
    expect(await problem(`/v1/me/statements/${dayAgo(days)}`)).toMatchObject({
      ...{ status: 409, code: 'statement.day_not_over' },
      detail: expect.stringContaining(next),
    });
  });

  it('answers 404 before the first day of a wallet, which it names, and without a wallet', async () => {
    expect(await problem(`/v1/me/statements/${dayAgo(9)}`)).toMatchObject({
      ...{ status: 404, code: 'statement.not_found' },
      detail: expect.stringContaining(dayAgo(3)),
    });
    const token = rain.tokenOf('nobody-has-paid-me');
    expect((await ask(`/v1/me/statements/${dayAgo(1)}`, undefined, 'GET', token)).status).toBe(404);
  });

  it.each(['2031-02-30', '2031-2-3', 'yesterday', '1999-01-01', '20310203', '2031-02-03T00:00:00Z', '%20'])(
    'refuses %s, which is not a day, and names the field',
    async (day) => {
      const { status, fields } = await problem(`/v1/me/statements/${day}`);
      expect([status, fields]).toMatchObject([400, [{ field: 'day' }]]);
    },
  );

  it('refuses the format of banks for points, an unknown currency, and other media types', async () => {
    const path = `/v1/me/statements/${dayAgo(1)}?currency=`;
    for (const [query, accept] of [
      [`${COINS}&format=camt053`, undefined],
      [COINS, 'application/xml'],
    ] as const)
      expect(await problem(path + query, accept)).toMatchObject({
        ...{ status: 406, code: 'request.not_acceptable' },
        detail: expect.stringMatching(/`json`.*`csv`/),
      });
    expect(JSON.parse((await ask(path + COINS)).body)).toMatchObject({ closing: '50', currency: COINS });
    expect((await ask(`${path + COINS}&format=csv`)).status).toBe(200);
    expect(await problem(`${path}NONE`)).toMatchObject({ status: 400, fields: [{ field: 'currency' }] });
    expect((await problem(`${path}CNY&format=pdf`)).status).toBe(400);
    expect((await problem(`${path}CNY`, 'image/png')).code).toBe('request.not_acceptable');
  });
});
