import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

const DAY_MS = 86_400_000;
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const AT = `${dayAgo(1)}T12:00:00Z`;

describe('the file of a channel', () => {
  let channelId: string;

  beforeEach(async () => {
    const body = { name: 'Filed', profile: { smallest: '0.01' } };
    channelId = (await rain.operator().post('/v1/payout-channels', body)).body.id;
  });

  afterEach(async () => {
    for (const { id } of await findings())
      await rain.as('finance').post(`/v1/payout-findings/${id}/end`, { resolution: 'A test.' });
    await report((await waiting()).map((id) => ({ id, outcome: 'refused' })));
    await rain.operator().delete(`/v1/payout-channels/${channelId}`);
  });

  const ask = async (user: string, amount = '5.00'): Promise<string> => {
    await rain.operator().post(`/v1/wallets/${user}/deposits`, { amount });
    return (await rain.user(user).post('/v1/me/payouts', { amount, channelId })).body.id;
  };
  const report = async (outcomes: object[]) => {
    if (outcomes.length > 0) await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
  };
  const paid = async (user: string): Promise<string> => {
    const id = await ask(user);
    await report([{ id, outcome: 'paid' }]);
    return id;
  };
  /** Returns what was answered instead where it is no payout. */
  const stateOf = async (id: string) => {
    const { body } = await rain.as('support').get(`/v1/payouts/${id}`);
    return body.state ?? body;
  };
  const balanceOf = async (user: string) => (await rain.user(user).get('/v1/me/wallet')).body.balance;
  const waiting = async (): Promise<string[]> =>
    (await rain.channel(channelId).get(`/v1/payout-channels/${channelId}/waiting`)).body.items.map(
      ({ id }: { id: string }) => id,
    );
  const findings = async () => {
    const { items } = (await rain.as('finance').get('/v1/payout-findings?limit=100')).body;
    return (items as { id: string; channelId: string; kind: string; payoutId: string | null }[]).filter(
      (one) => one.channelId === channelId,
    );
  };
  const kinds = async () => (await findings()).map(({ kind }) => kind).sort();
  const line = (id: string, user: string, state = 'paid', amount = '5.00', at = AT) =>
    `${id},${user},${amount},${state},${at}`;
  const file = (...lines: string[]) => ['payoutId,userId,amount,state,at', ...lines, ''].join('\r\n');
  const handIn = async (
    body: string | AsyncIterable<Uint8Array>,
    day = dayAgo(1),
    more: { type?: string; token?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${rain.url}/v1/payout-channels/${channelId}/statements?day=${day}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${more.token ?? rain.tokenOf('shop', 'channel', channelId)}`,
        'content-type': more.type ?? 'text/csv',
      },
      body: body as string,
      duplex: 'half',
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), headers: response.headers, text };
  };

  it('is compared line by line: what is open is posted, and each difference becomes one finding', async () => {
    const [equal, open, refused, returned, differs, twice, contradicted] = [
      await paid('filed-equal'),
      await ask('filed-open'),
      await ask('filed-refused'),
      await ask('filed-returned'),
      await paid('filed-differs'),
      await paid('filed-twice'),
      await paid('filed-contradicted'),
    ];
    const body = file(
      line(equal, 'filed-equal'),
      line(open, 'filed-open'),
      line(refused, 'filed-refused', 'refused'),
      line(returned, 'filed-returned', 'returned'),
      line(differs, 'filed-differs', 'paid', '5.01'),
      line(twice, 'filed-twice'),
      line(twice, 'filed-twice'),
      line(contradicted, 'filed-contradicted', 'refused'),
      line('987654321', 'filed-equal'),
    );
    const first = await handIn(body);
    expect(first).toMatchObject({
      status: 200,
      body: { lines: 9, equal: 3, posted: 3, found: 4, ended: 0 },
    });
    expect(await kinds()).toEqual(['file-differs', 'never-sent', 'paid-but-refused', 'paid-twice']);
    const states = await Promise.all([open, refused, returned, differs].map(stateOf));
    expect(states).toEqual(['paid', 'refused', 'returned', 'paid']);
    const balances = await Promise.all(['filed-open', 'filed-refused', 'filed-returned'].map(balanceOf));
    expect(balances).toEqual(['0.00', '5.00', '5.00']);
    await expect(rain.verify()).rejects.toThrow(/I18 /);

    const still = await ask('filed-still');
    expect(await waiting()).toEqual([]);
    for (const { id } of await findings())
      await rain
        .as('finance')
        .post(`/v1/payout-findings/${id}/end`, { resolution: 'Settled with the shop.' });
    expect(await waiting()).toEqual([still]);
    expect((await handIn(body)).body).toEqual(first.body);
    expect(await kinds()).toEqual([]);
    expect(await rain.verify()).toContain('I18');
  });

  it('keeps a difference open until a line says the same step of the payout as it is here', async () => {
    const id = await paid('partly');
    const partial = file(line(id, 'partly'), line(id, 'partly', 'returned', '3.00'));
    expect((await handIn(partial)).body).toMatchObject({ equal: 1, found: 1, ended: 0 });
    expect((await handIn(file(line(id, 'partly')), dayAgo(2))).body).toMatchObject({ ended: 0 });
    expect(await kinds()).toEqual(['file-differs']);
    const whole = file(line(id, 'partly'), line(id, 'partly', 'returned'));
    expect((await handIn(whole)).body).toMatchObject({ found: 0, ended: 1 });
    expect([await kinds(), await stateOf(id)]).toEqual([[], 'returned']);
  });

  it('that lacks a payment of an earlier day opens a finding, which the next file with it ends', async () => {
    const [lacking, wrong] = [await paid('lacking'), await paid('wrong')];
    expect((await handIn(file(), dayAgo(3))).body).toMatchObject({ lines: 0, found: 0 });
    await rain.sql(`update payout set ended_at = ended_at - interval '2 days' where channel_id = $1`, [
      channelId,
    ]);
    const incomplete = await handIn(file(line(wrong, 'somebody-else')), dayAgo(1));
    expect(incomplete.body).toMatchObject({ lines: 1, found: 2, ended: 0 });
    expect(await findings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'paid-but-missing', payoutId: lacking }),
        expect.objectContaining({ kind: 'file-differs', payoutId: wrong }),
      ]),
    );
    const early = await handIn(file(line(lacking, 'lacking', 'processing')), dayAgo(1));
    expect(early.body).toMatchObject({ equal: 1, ended: 0 });
    const complete = await handIn(file(line(wrong, 'wrong'), line(lacking, 'lacking')), dayAgo(1));
    expect(complete.body).toMatchObject({ lines: 2, equal: 2, found: 0, ended: 2 });
    expect(await findings()).toEqual([]);
  });

  it('does not take back what its user has to do, because its day is over', async () => {
    const id = await ask('confirms');
    const action = 'Confirm it in the app.';
    await report([{ id, outcome: 'needs-user', action }]);
    const { body } = await handIn(file(line(id, 'confirms', 'processing')));
    expect(body).toMatchObject({ lines: 1, equal: 1 });
    const { items } = (await rain.user('confirms').get('/v1/me/payouts')).body;
    expect(items).toMatchObject([{ id, state: 'needs-user', action }]);
  });

  it('that lacks a payment of its own day waits for the next one', async () => {
    await paid('midnight');
    await handIn(file(), dayAgo(3));
    await rain.sql(`update payout set ended_at = ended_at - interval '1 day' where channel_id = $1`, [
      channelId,
    ]);
    expect((await handIn(file(), dayAgo(1))).body.found).toBe(0);
  });

  it('that is handed in again while it is read is read to its end by the last reader alone, who finds what it has twice', async () => {
    const id = await paid('again');
    const begin = async (sub: string) => {
      let finish!: () => void;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      async function* halves() {
        const stranger = line('987654321', 'again', 'processing');
        yield Buffer.from(file(line(id, 'again'), ...Array<string>(5_000).fill(stranger)));
        await finished;
        yield Buffer.from(`${line(id, 'again')}\r\n`);
      }
      const answer = handIn(halves(), dayAgo(1), { token: rain.tokenOf(sub, 'channel', channelId) });
      const noted = `select from payout_stated join payout_statement on id = statement_id where payout_id = $1 and handed_in_by = $2`;
      await waitFor(async () => (await rain.sql(noted, [id, sub])).length === 1, {
        what: `${sub} to read the first half`,
      });
      return async () => {
        finish();
        return answer;
      };
    };
    const [finishFirst, finishLast] = [await begin('first'), await begin('last')];
    expect(await finishFirst()).toMatchObject({ status: 409, body: { code: 'payout_statement.superseded' } });
    expect(await finishLast()).toMatchObject({ status: 200, body: { lines: 5_002, found: 1 } });
    expect(await kinds()).toEqual(['never-sent', 'paid-twice']);
  });

  it('may have lost the last zeros of its amounts in a spreadsheet', async () => {
    const [tenths, whole] = [await ask('tenths', '7.10'), await ask('whole', '7.00')];
    const body = file(line(tenths, 'tenths', 'paid', '7.1'), line(whole, 'whole', 'paid', '7'));
    expect((await handIn(body)).body).toMatchObject({ posted: 2, found: 0 });
    const [wrong, ofAnother] = [line(tenths, 'tenths', 'paid', '7.01'), line(whole, 'whole', 'paid', '70')];
    expect((await handIn(file(wrong, ofAnother))).body).toMatchObject({ posted: 0, found: 2 });
    expect(await kinds()).toEqual(['file-differs', 'file-differs']);
  });

  it('is read as NDJSON, too', async () => {
    const id = await paid('json');
    const [payoutId, userId, amount, state, at] = line(id, 'json').split(',');
    const body = JSON.stringify({ payoutId, userId, amount, state, at });
    expect((await handIn(body, dayAgo(1), { type: 'application/x-ndjson' })).body.equal).toBe(1);
  });

  it('is taken from its channel alone, for a day that is over', async () => {
    const other = rain.tokenOf('shop', 'channel', '999999');
    expect((await handIn(file(), dayAgo(1), { token: other })).body.code).toBe('payout_channel.not_found');
    for (const role of ['finance', 'operator', 'user'] as const)
      expect((await handIn(file(), dayAgo(1), { token: rain.tokenOf('ann', role) })).status).toBe(403);
    expect((await handIn(file(), dayAgo(0))).body.code).toBe('payout_statement.day_not_over');
  });

  it('moves nothing for the payouts of another channel', async () => {
    const others = await paid('others');
    const mine = channelId;
    channelId = (
      await rain.operator().post('/v1/payout-channels', { name: 'Thief', profile: { smallest: '0.01' } })
    ).body.id;
    expect((await handIn(file(line(others, 'others', 'returned')))).body).toMatchObject({
      posted: 0,
      found: 1,
    });
    expect(await kinds()).toEqual(['never-sent']);
    expect([await stateOf(others), await balanceOf('others')]).toEqual(['paid', '0.00']);
    for (const { id } of await findings())
      await rain.as('finance').post(`/v1/payout-findings/${id}/end`, { resolution: 'A test.' });
    channelId = mine;
  });

  it.each([
    ['no columns', '1,ann,5.00,paid', 'Line 1'],
    ['a column that it has twice', 'payoutId,userId,amount,state,at,amount\n', 'Line 1'],
    ['a missing cell', `${file()}1,ann,5.00,paid`, 'Line 2'],
    ['an amount that is no text of money', file(line('1', 'ann', 'paid', '5,00')), 'Line 2'],
    ['an unknown state', file(line('1', 'ann', 'done')), 'Line 2'],
    ['a year before any payment', file(line('1', 'ann', 'paid', '5.00', '0000-01-01T00:00:00Z')), 'Line 2'],
    [
      'a year of five digits in UTC',
      file(line('1', 'ann', 'paid', '5.00', '9999-12-31T23:59:59-14:00')),
      'Line 2',
    ],
    ['a moment that is none', file(line('1', 'ann', 'paid', '5.00', 'noon')), 'Line 2'],
    ['an endless line', `payoutId${'x'.repeat(100_000)}`, 'Line 1'],
    ['a quote that never ends', file('"1,ann,5.00,paid,x'), 'Line 2'],
    ['nothing', '', ''],
  ])('is refused by the number of its line for %s', async (_, body, words) => {
    const answer = await handIn(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'payout_statement.malformed']);
    expect(answer.body.detail).toContain(words);
  });

  it.each(['2026-02-30', '0000-01-01', '2026-2-3', ''])('has a day that exists, unlike "%s"', async (day) => {
    expect((await handIn(file(), day)).body.errors[0].field).toBe('day');
  });

  it('has moments at any offset', async () => {
    const id = await paid('offset');
    const at = AT.replace('Z', '+23:59');
    expect((await handIn(file(line(id, 'offset', 'paid', '5.00', at)))).body.equal).toBe(1);
  });

  it('is the only body that is not JSON, and no JSON', async () => {
    expect((await handIn('{}', dayAgo(1), { type: 'application/json' })).body.code).toBe(
      'request.unsupported_media_type',
    );
    const response = await fetch(`${rain.url}/v1/payouts/outcomes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rain.tokenOf('shop', 'channel', channelId)}`,
        'content-type': 'text/csv',
      },
      body: file(),
    });
    expect(response.status).toBe(415);
  });
});
