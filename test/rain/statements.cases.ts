import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { brokenIn } from '../harness/invariants';
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
    await rain.deposit(user, amount);
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
  /** Returns the answer instead if it is not a payout. */
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
    body: string | Uint8Array | AsyncIterable<Uint8Array>,
    day = dayAgo(1),
    more: { type?: string; token?: string; encoding?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${rain.url}/v1/payout-channels/${channelId}/statements?day=${day}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${more.token ?? rain.tokenOf('shop', 'channel', channelId)}`,
        'content-type': more.type ?? 'text/csv',
        ...(more.encoding && { 'content-encoding': more.encoding }),
      },
      body: body as string,
      duplex: 'half',
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), headers: response.headers, text };
  };

  it('is compared line by line: open payouts are posted, and each difference becomes one finding', async () => {
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
    expect(first).toMatchObject({ status: 200, body: { lines: 9, equal: 3, posted: 3, found: 4, ended: 0 } });
    expect(await kinds()).toEqual(['file-differs', 'never-sent', 'paid-but-refused', 'paid-twice']);
    const states = await Promise.all([open, refused, returned, differs].map(stateOf));
    expect(states).toEqual(['paid', 'refused', 'returned', 'paid']);
    const balances = await Promise.all(['filed-open', 'filed-refused', 'filed-returned'].map(balanceOf));
    expect(balances).toEqual(['0.00', '5.00', '5.00']);
    expect(await brokenIn(rain)).toEqual(['I18']);

    const still = await ask('filed-still');
    expect(await waiting()).toEqual([]);
    for (const { id } of await findings())
      await rain
        .as('finance')
        .post(`/v1/payout-findings/${id}/end`, { resolution: 'Settled with the shop.' });
    expect(await waiting()).toEqual([still]);
    expect((await handIn(body)).body).toEqual(first.body);
    expect(await kinds()).toEqual([]);
    expect(await brokenIn(rain)).toEqual([]);
  });

  it('keeps a difference open until a line agrees with our state of that payout', async () => {
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

  it('leaves a payout waiting for its user, because the day of the file is over', async () => {
    const id = await ask('confirms');
    const action = 'Confirm it in the app.';
    await report([{ id, outcome: 'needs-user', action }]);
    const { body } = await handIn(file(line(id, 'confirms', 'processing')));
    expect(body).toMatchObject({ lines: 1, equal: 1 });
    const { items } = (await rain.user('confirms').get('/v1/me/payouts')).body;
    expect(items).toMatchObject([{ id, state: 'needs-user', action }]);
  });

  it('may lack a payment of its own day, which the next file may have', async () => {
    await paid('midnight');
    await handIn(file(), dayAgo(3));
    await rain.sql(`update payout set ended_at = ended_at - interval '1 day' where channel_id = $1`, [
      channelId,
    ]);
    expect((await handIn(file(), dayAgo(1))).body.found).toBe(0);
  });

  it('that is handed in again while it is being read is finished only by the last reader, who finds duplicate payments', async () => {
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

  it('may have lost trailing zeros of its amounts in a spreadsheet', async () => {
    const [tenths, whole] = [await ask('tenths', '7.10'), await ask('whole', '7.00')];
    const body = file(line(tenths, 'tenths', 'paid', '7.1'), line(whole, 'whole', 'paid', '7'));
    expect((await handIn(body)).body).toMatchObject({ posted: 2, found: 0 });
    const [wrong, ofAnother] = [line(tenths, 'tenths', 'paid', '7.01'), line(whole, 'whole', 'paid', '70')];
    expect((await handIn(file(wrong, ofAnother))).body).toMatchObject({ posted: 0, found: 2 });
    expect(await kinds()).toEqual(['file-differs', 'file-differs']);
  });

  it('may have more zeros than the currency, and marks of a spreadsheet before its user ids', async () => {
    const [plain, marked, own] = [await ask('zeros', '7.10'), await ask('marked'), await ask("'quoted")];
    const body = file(
      line(plain, 'zeros', 'paid', '7.100'),
      line(marked, '`marked'),
      line(own, "'quoted", 'paid', '5'),
    );
    expect((await handIn(body)).body).toMatchObject({ posted: 3, found: 0 });
    const wrong = file(line(plain, 'zeros', 'paid', '7.101'), line(marked, '``marked'));
    expect((await handIn(wrong)).body).toMatchObject({ posted: 0, found: 2 });
    expect(await kinds()).toEqual(['file-differs', 'file-differs']);
  });

  it.each(['TOTAL,ALL,10.00,paid,2026-11-26T09:00:00Z', 'Total,,10.00,,', '合计,,10.00,,'])(
    'may end with a row of totals, which becomes a finding that holds nothing: %s',
    async (totals) => {
      const [first, second] = [await ask('summed-1'), await ask('summed-2')];
      const body = file(line(first, 'summed-1'), line(second, 'summed-2'), totals);
      expect(await handIn(body)).toMatchObject({ status: 200, body: { lines: 3, posted: 2, found: 1 } });
      const [id] = totals.split(',');
      expect(await findings()).toMatchObject([
        { kind: 'foreign-id', payoutId: null, detail: { payoutId: id, amount: '10.00', line: 4 } },
      ]);
      const next = await ask('summed-3');
      expect(await waiting()).toEqual([next]);
    },
  );

  it('posts the payments before a malformed line, as its refusal says', async () => {
    const [first, second] = [await ask('before-1'), await ask('before-2')];
    const answer = await handIn(file(line(first, 'before-1'), line(second, '')));
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'payout_statement.malformed',
        detail: 'Line 3, column 2 (`userId`): it is empty. The one before it has been dealt with.',
      },
    });
    expect([await stateOf(first), await stateOf(second)]).toEqual(['paid', 'reserved']);
  });

  it.each([undefined, 'gzip'])('is decompressed, with the Content-Encoding %s', async (encoding) => {
    const id = await ask(`packed-${encoding}`);
    const answer = await handIn(gzipSync(file(line(id, `packed-${encoding}`))), dayAgo(1), { encoding });
    expect(answer.body).toMatchObject({ lines: 1, posted: 1 });
    expect((await handIn(file(line(id, `packed-${encoding}`)), dayAgo(1), { encoding })).status).toBe(200);
  });

  it('is refused if it is compressed in another way, damaged, or too large once decompressed', async () => {
    const packed = gzipSync(file());
    expect((await handIn(packed, dayAgo(1), { encoding: 'br' })).body).toMatchObject({
      status: 415,
      detail: 'Send the body uncompressed, or compressed with gzip.',
    });
    const [cut, torn] = [packed.subarray(0, -4), Buffer.concat([packed.subarray(0, 12), Buffer.alloc(40)])];
    for (const damaged of [cut, torn])
      expect((await handIn(damaged)).body).toMatchObject({ code: 'request.malformed', status: 400 });
    const bomb = gzipSync(Buffer.alloc(8 * 2 ** 20, '\n'));
    expect((await handIn(bomb)).body.detail).toContain(
      'it has no payment, as more than 1000 lines before it',
    );
  });

  it('that was entirely wrong leaves findings that one request ends, except those about payouts of the person who ends them', async () => {
    const [contradicted, own] = [await paid('wrongly-refused'), await paid('fin-own')];
    await handIn(file(line('900000001', 'earlier')), dayAgo(2));
    const strangers = Array.from({ length: 150 }, (_, i) => line(String(900_000_100 + i), 'stranger'));
    const body = file(
      ...strangers,
      line(contradicted, 'wrongly-refused', 'refused'),
      line(own, 'fin-own', 'paid', '5.01'),
      'TOTAL,,9.00,,',
    );
    const { statementId, found } = (await handIn(body)).body;
    expect(found).toBe(153);
    expect((await handIn(body)).body.statementId).toBe(statementId);
    const end = (sub: string, id: string = statementId) =>
      rain
        .as('finance', sub)
        .post(`/v1/payout-statements/${id}/end-findings`, { resolution: 'The file of another shop.' });
    expect((await end('fin-own')).body).toEqual({ ended: 152, left: 1 });
    expect(await kinds()).toEqual(['file-differs', 'never-sent']);
    expect((await end('fin-2')).body).toEqual({ ended: 1, left: 0 });
    expect(await kinds()).toEqual(['never-sent']);
    expect((await end('fin-2')).body).toEqual({ ended: 0, left: 0 });
    const { items } = (await rain.operator().get(`/v1/audit-log?subject=payout-statement:${statementId}`))
      .body;
    expect(items.map((deed: { detail: object }) => deed.detail)).toEqual(
      [0, 1, 152].map((ended) => ({ channelId, day: dayAgo(1), ended })),
    );
    expect((await end('fin-2', '999999')).body.code).toBe('payout_statement.not_found');
  });

  it('leaves its connection usable for the next request if it is refused early', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = {
      authorization: `Bearer ${rain.tokenOf('shop', 'channel', channelId)}`,
      'content-type': 'text/csv',
    };
    const send = async (method: string, path: string, body?: string) => {
      const sent = request(rain.url + path, { agent, method, headers });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { localPort: port } = sent.socket!;
      return { status: response.statusCode, body: await textOf(response), port };
    };
    const path = `/v1/payout-channels/${channelId}`;
    for (const rest of ['', 'x,y\n'.repeat(1_000_000)]) {
      const refused = await send('POST', `${path}/statements?day=${dayAgo(1)}`, `1,2\n${rest}`);
      expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('Line 1')]);
      expect(await send('GET', `${path}/waiting`)).toMatchObject({ status: 200, port: refused.port });
    }
    agent.destroy();
  });

  it('is also read as NDJSON', async () => {
    const id = await paid('json');
    const [payoutId, userId, amount, state, at] = line(id, 'json').split(',');
    const body = JSON.stringify({ payoutId, userId, amount, state, at });
    expect((await handIn(body, dayAgo(1), { type: 'application/x-ndjson' })).body.equal).toBe(1);
  });

  it('is accepted only from its channel, for a day that is over', async () => {
    const other = rain.tokenOf('shop', 'channel', '999999');
    expect((await handIn(file(), dayAgo(1), { token: other })).body.code).toBe('payout_channel.not_found');
    for (const role of ['finance', 'operator', 'user'] as const)
      expect((await handIn(file(), dayAgo(1), { token: rain.tokenOf('ann', role) })).status).toBe(403);
    expect((await handIn(file(), dayAgo(0))).body.code).toBe('payout_statement.day_not_over');
  });

  it('moves no money for the payouts of another channel', async () => {
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
    ['a missing header', '1,ann,5.00,paid', 'Line 1'],
    ['a duplicate column', 'payoutId,userId,amount,state,at,amount\n', 'Line 1'],
    ['a missing cell', `${file()}1,ann,5.00,paid`, 'Line 2'],
    ['a malformed amount', file(line('1', 'ann', 'paid', '5,00')), 'Line 2'],
    ['an unknown state', file(line('1', 'ann', 'done')), 'Line 2'],
    ['a year before any payment', file(line('1', 'ann', 'paid', '5.00', '0000-01-01T00:00:00Z')), 'Line 2'],
    [
      'a year of five digits in UTC',
      file(line('1', 'ann', 'paid', '5.00', '9999-12-31T23:59:59-14:00')),
      'Line 2',
    ],
    ['an invalid instant', file(line('1', 'ann', 'paid', '5.00', 'noon')), 'Line 2'],
    ['an endless line', `payoutId${'x'.repeat(100_000)}`, 'Line 1'],
    ['a quote that never ends', file('"1,ann,5.00,paid,x'), 'Line 2'],
    ['nothing', '', ''],
  ])('is refused with the number of the line for %s', async (_, body, words) => {
    const answer = await handIn(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'payout_statement.malformed']);
    expect(answer.body.detail).toContain(words);
  });

  it.each(['2026-02-30', '0000-01-01', '2026-2-3', ''])(
    'is refused for a day that does not exist: "%s"',
    async (day) => {
      expect((await handIn(file(), day)).body.errors[0].field).toBe('day');
    },
  );

  it('accepts timestamps with any UTC offset', async () => {
    const id = await paid('offset');
    const at = AT.replace('Z', '+23:59');
    expect((await handIn(file(line(id, 'offset', 'paid', '5.00', at)))).body.equal).toBe(1);
  });

  it('is the only body that is not JSON, and is never JSON', async () => {
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
