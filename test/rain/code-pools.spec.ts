import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { redPacketId } from '../../libs/red-packet-id';
import type { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { GatewayClient } from '../harness/gateway-client';
import { rain, shareInstallation } from '../harness/shared-installation';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { known, register } from '../webhook/support';
import { begun, codeOf, codesOf, countsOf, create, newPool, planOfCodes, upload, won } from './codes';
import { letterOf } from './robots';

const KEY = randomBytes(32).toString('base64');

/** It logs all that it can, and its log is searched for codes. */
shareInstallation({
  CODE_SEAL_KEY: KEY,
  LOG_LEVEL: 'debug',
  RATE_LIMIT_USER_PER_SECOND: '1000',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
});

/** Finds the lock that an upload holds. To try to take it would keep uploads out. */
const lockOf = (poolId: string): string =>
  `select from pg_locks, hashtextextended('codes of pool ${poolId}', 0) as key
    where locktype = 'advisory' and granted and objid::bigint = key & 4294967295`;

const untilFree = (poolId: string, free: number) =>
  waitFor(async () => (await countsOf(poolId)).free === free, { what: `${free} free codes` });

describe('a rain of codes', () => {
  it('shows each winner one code of the pool, always the same and to nobody else, and returns the codes that nobody won', async () => {
    const codes = codesOf(6);
    const pool = await newPool('giver', codes);
    expect(await countsOf(pool.id)).toEqual({ uploaded: 6, free: 6, reserved: 0, shown: 0, burnt: 0 });
    const id = await begun('giver', pool.currency, 4);
    expect(await countsOf(pool.id)).toEqual({ uploaded: 6, free: 2, reserved: 4, shown: 0, burnt: 0 });

    const users = ['ann', 'bob', 'cid'];
    const packets: string[] = [];
    for (const user of users) packets.push(await won(id, user));
    await rain.settled(id);
    expect((await rain.user('ann').get(`/v1/me/wallet?currency=${pool.currency}`)).body).toMatchObject({
      balance: '1',
      currency: pool.currency,
    });
    const shown: string[] = [];
    for (const [i, user] of users.entries()) {
      const first = await codeOf(user, packets[i]!);
      expect(first).toMatchObject({
        status: 200,
        body: {
          redPacketId: packets[i],
          poolId: pool.id,
          poolName: 'Pool of giver',
          firstShownAt: expect.any(String),
        },
      });
      expect((await codeOf(user, packets[i]!)).body).toEqual(first.body);
      shown.push(first.body.code);
    }
    expect(new Set(shown).size).toBe(3);
    expect(codes).toEqual(expect.arrayContaining(shown));
    for (const [user, packetId] of [
      ['ann', packets[1]!],
      ['dan', packets[0]!],
      ['ann', redPacketId(id, 99)],
      ['ann', '9223372036854775807'],
    ] as const)
      expect(await codeOf(user, packetId)).toMatchObject({ status: 404, body: { code: 'code.not_found' } });
    const staff = await rain.operator().get(`/v1/me/packets/${packets[0]}/code`);
    expect(staff).toMatchObject({ status: 404, body: { code: 'code.not_found' } });

    await rain.closeActivity(id);
    await untilFree(pool.id, 3);
    expect(await countsOf(pool.id)).toEqual({ uploaded: 6, free: 3, reserved: 0, shown: 3, burnt: 0 });
    const again = await begun('giver', pool.currency, 3);
    const rest: string[] = [];
    for (const user of users) {
      const packetId = await won(again, user);
      await rain.settled(again);
      rest.push((await codeOf(user, packetId)).body.code);
    }
    expect([...shown, ...rest].sort()).toEqual([...codes].sort());
    expect((await rain.operator().get(`/v1/code-pools/${pool.id}`)).body.activities).toEqual([
      { activityId: again, name: 'Rain', status: 'active', codes: 3 },
      { activityId: id, name: 'Rain', status: 'closed', codes: 4 },
    ]);
  });

  it('gives codes that nobody won to a rain that is created right after the end, before any sweep', async () => {
    const pool = await newPool('hasty', codesOf(2));
    for (let i = 0; i < 3; i++) {
      const id = await begun('hasty', pool.currency, 2);
      expect((await rain.closeActivity(id)).status).toBe(200);
    }
    await untilFree(pool.id, 2);
  });

  it('gives added packets codes of their own', async () => {
    const codes = codesOf(3);
    const pool = await newPool('adder', codes);
    const id = await begun('adder', pool.currency, 1);
    const add = (body: object) => rain.operator().post(`/v1/activities/${id}/top-ups`, body);
    const more = { currency: pool.currency, amount: '2', packetCount: 2, split: { kind: 'equal' } };
    expect((await add({ ...more, split: undefined })).body.errors).toMatchObject([{ field: 'split.kind' }]);
    expect((await add({ ...more, amount: '3' })).body.errors).toMatchObject([{ field: 'amount' }]);
    expect((await add(more)).status).toBe(201);
    expect(await add(more)).toMatchObject({ status: 422, body: { code: 'code_pool.too_few_codes' } });
    const shown: string[] = [];
    for (const user of ['ann', 'bob', 'cid']) {
      const packetId = await won(id, user);
      await rain.settled(id);
      shown.push((await codeOf(user, packetId)).body.code);
    }
    expect(shown.sort()).toEqual([...codes].sort());
  });

  it('shows a code only after the credit, and burns the code of a void claim without a packet in its place', async () => {
    const pool = await newPool('burner', codesOf(3));
    await rain.operator().post(`/v1/wallets/robot/freeze?currency=${pool.currency}`);
    const id = await begun('burner', pool.currency, 2);
    const packetId = await won(id, 'robot');
    await rain.settled(id);
    expect(await codeOf('robot', packetId)).toMatchObject({
      status: 409,
      body: { code: 'code.not_credited', detail: expect.stringContaining('not in your wallet yet') },
    });
    const voided = await rain
      .operator()
      .post(`/v1/dead-letters/${await letterOf(id)}/void`, { reason: 'A robot.' });
    expect(voided).toMatchObject({ status: 200, body: { amount: '1', redPacketId: null } });
    expect(await codeOf('robot', packetId)).toMatchObject({
      status: 409,
      body: { code: 'code.not_credited', detail: expect.stringContaining('declared void') },
    });
    expect(await countsOf(pool.id)).toEqual({ uploaded: 3, free: 1, reserved: 1, shown: 0, burnt: 1 });
    const balance = async () =>
      (await rain.operator().get(`/v1/wallets/burner?currency=${pool.currency}`)).body.balance;
    expect(await balance()).toBe('1');
    await rain.closeActivity(id);
    await untilFree(pool.id, 2);
    expect(await balance()).toBe('2');
    expect(await rain.proof(id)).toMatchObject({ verdict: 'balanced', void: '1', refunded: '1' });
  });

  it('shows the owner of a frozen wallet no new code, but always one that they have seen', async () => {
    const pool = await newPool('freezer', codesOf(2));
    const id = await begun('freezer', pool.currency, 2);
    const packets = [await won(id, 'robot-1'), await won(id, 'person')] as const;
    await rain.settled(id);
    const seen = await codeOf('person', packets[1]);
    for (const user of ['robot-1', 'person'])
      await rain.operator().post(`/v1/wallets/${user}/freeze?currency=${pool.currency}`);
    expect(await codeOf('robot-1', packets[0])).toMatchObject({
      status: 422,
      body: { code: 'wallet.frozen' },
    });
    expect(await countsOf(pool.id)).toMatchObject({ reserved: 1, shown: 1 });
    expect((await codeOf('person', packets[1])).body).toEqual(seen.body);
    await rain.operator().post(`/v1/wallets/robot-1/unfreeze?currency=${pool.currency}`);
    expect(await codeOf('robot-1', packets[0])).toMatchObject({ status: 200 });
  });

  it('lists which codes a user has seen, without the codes themselves and without those of others', async () => {
    const pool = await newPool('lister', codesOf(5));
    const activities: string[] = [];
    for (const packets of [1, 2]) activities.push(await begun('lister', pool.currency, packets));
    const packets = [await won(activities[0]!, 'fan'), await won(activities[1]!, 'fan')];
    const others = await won(activities[1]!, 'other');
    for (const id of activities) await rain.settled(id);
    const list = async (user: string, query = '') => (await rain.user(user).get(`/v1/me/codes${query}`)).body;
    expect(await list('fan')).toEqual({ items: [], nextCursor: null });
    const [first, second] = [await codeOf('fan', packets[0]!), await codeOf('fan', packets[1]!)];
    await codeOf('other', others);
    const { code: _, ...newest } = second.body;
    const { code: __, ...oldest } = first.body;
    expect((await list('fan')).items).toEqual([newest, oldest]);
    const page = await list('fan', '?limit=1');
    expect(page.items).toEqual([newest]);
    expect(await list('fan', `?limit=1&cursor=${page.nextCursor}`)).toEqual({
      items: [oldest],
      nextCursor: null,
    });
    expect((await list('other')).items).toMatchObject([{ redPacketId: others }]);
  });

  it('that is cancelled before it opens gives all of its codes back', async () => {
    const pool = await newPool('changer', codesOf(2));
    const [opensAt, closesAt] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const plan = { ...planOfCodes('changer', pool.currency, 2), opensAt, closesAt };
    const { body } = await rain.operator().post('/v1/activities', plan);
    expect((await rain.operator().post(`/v1/activities/${body.id}/cancel`)).status).toBe(200);
    await untilFree(pool.id, 2);
    expect(await countsOf(pool.id)).toMatchObject({ free: 2, reserved: 0 });
  });

  it('gets all codes that it needs or none, and two that are created at once share no code', async () => {
    const codes = codesOf(10);
    const pool = await newPool('rival', codes);
    const answers = await Promise.all(Array.from({ length: 4 }, () => create('rival', pool.currency, 4)));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(2);
    for (const { status, body } of answers.filter((answer) => !created.includes(answer)))
      expect([status, body.code]).toEqual([
        422,
        expect.stringMatching(/^(code_pool.too_few_codes|wallet.insufficient_funds)$/),
      ]);
    expect(await create('rival', pool.currency, 3)).toMatchObject({
      status: 422,
      body: {
        code: 'code_pool.too_few_codes',
        detail: `Pool ${pool.id} has 2 free codes, and 3 are needed. Upload more, or give fewer.`,
      },
    });
    const shown: string[] = [];
    for (const { body } of created)
      for (const user of ['ann', 'bob', 'cid', 'dan']) {
        const packetId = await won(body.id, user);
        await rain.settled(body.id);
        shown.push((await codeOf(user, packetId)).body.code);
      }
    expect(new Set(shown).size).toBe(8);
    expect(codes).toEqual(expect.arrayContaining(shown));
  });
});

describe('a pool', () => {
  it('is seen by its sponsor and staff, and by nobody else', async () => {
    const body = { name: 'Theirs', sponsorId: 'owner' };
    for (const role of ['user', 'campaign', 'finance'] as const)
      expect((await rain.as(role, 'owner').post('/v1/code-pools', body)).status).toBe(403);
    const mine = await rain.operator().post('/v1/code-pools', body);
    expect(mine).toMatchObject({
      status: 201,
      body: { ...body, currency: `CODE${mine.body.id}`, uploaded: 0 },
    });
    const path = `/v1/code-pools/${mine.body.id}`;
    expect((await upload(mine.body.id, 'a\nb', { by: rain.user('owner') })).body).toEqual({
      count: 2,
      uploaded: 2,
    });
    for (const who of [rain.user('owner'), rain.operator(), rain.as('campaign')])
      expect((await who.get(path)).body).toMatchObject({ uploaded: 2, free: 2 });
    expect(await rain.user('stranger').get(path)).toMatchObject({
      status: 404,
      body: { code: 'code_pool.not_found' },
    });
    expect((await upload(mine.body.id, 'c', { by: rain.user('stranger') })).status).toBe(404);
    expect((await rain.user('owner').get('/v1/code-pools')).body.items).toMatchObject([
      { id: mine.body.id, uploaded: 2, free: 2 },
    ]);
    expect((await rain.user('stranger').get('/v1/code-pools')).body.items).toEqual([]);
    const nameFor = async (who: Caller) =>
      ((await who.get('/v1/currencies')).body.items as { code: string; name: string }[]).find(
        ({ code }) => code === mine.body.currency,
      )!.name;
    expect(await nameFor(rain.as('campaign'))).toBe('Theirs');
    expect(await nameFor(rain.user('stranger'))).toBe(mine.body.currency);
    expect((await rain.user('stranger').get('/v1/code-pools?sponsorId=owner')).status).toBe(400);
    expect((await rain.operator().get('/v1/code-pools?sponsorId=owner')).body.items).toHaveLength(1);
    const { items } = (await rain.operator().get(`/v1/audit-log?subject=code-pool:${mine.body.id}`)).body;
    expect(items).toMatchObject([
      { action: 'code-pool.upload', actorId: 'owner', before: { uploaded: 0 }, after: { uploaded: 2 } },
      { action: 'code-pool.create', actorId: 'operator', after: body },
    ]);
  });

  it('takes an upload once if it is sent again under its key', async () => {
    const pool = await newPool('repeater');
    const first = await upload(pool.id, 'a\nb', { key: 'upload-once' });
    const second = await upload(pool.id, 'a\nb', { key: 'upload-once' });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await countsOf(pool.id)).toMatchObject({ uploaded: 2, free: 2 });
  });

  it('keeps nothing of an upload that breaks off, and takes the file under the same key', async () => {
    const pool = await newPool('broken-off');
    const codes = codesOf(1_200);
    const broken = request(`${rain.url}/v1/code-pools/${pool.id}/codes`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rain.tokenOf('operator', 'operator')}`,
        'content-type': 'text/csv',
        'idempotency-key': 'breaks-off',
      },
    }).on('error', () => undefined);
    broken.write(codes.slice(0, 900).join('\n'));
    const isUnderWay = async () => (await rain.sql(lockOf(pool.id))).length > 0;
    await waitFor(isUnderWay, { what: 'an upload under way' });
    broken.destroy();
    const again = async () => (await upload(pool.id, codes.join('\n'), { key: 'breaks-off' })).status === 200;
    await waitFor(again, { what: 'the file to be taken' });
    expect(await countsOf(pool.id)).toMatchObject({ uploaded: 1_200, free: 1_200 });
  });

  it('refuses a file that is sent again under another key, because the pool has its codes', async () => {
    const pool = await newPool('doubler');
    expect((await upload(pool.id, 'code\na\nb\n\n')).body).toEqual({ count: 2, uploaded: 2 });
    const again = await upload(pool.id, 'code\na\nb\n\n');
    expect([again.status, again.body.code]).toEqual([422, 'code_pool.code_twice']);
    expect(again.body.detail).toMatch(/^Line 2: /);
    expect(await countsOf(pool.id)).toMatchObject({ uploaded: 2, free: 2 });
  });

  it('takes quoted CSV with a heading, and NDJSON, and codes of one and of 256 characters', async () => {
    const pool = await newPool('formats');
    const long = '福'.repeat(255) + '🧧';
    expect((await upload(pool.id, `\ufeffCode\r\n"a,""b"""\r\n\r\n  c  \r\n${long}`)).body).toEqual({
      count: 3,
      uploaded: 3,
    });
    const ndjson = ['d', 'e\tf'.slice(0, 1), ' g,h '].map((code) => JSON.stringify({ code })).join('\n');
    expect((await upload(pool.id, ndjson, { type: 'application/x-ndjson' })).body).toEqual({
      count: 3,
      uploaded: 6,
    });
    const id = await begun('formats', pool.currency, 6);
    const shown: string[] = [];
    for (const user of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6']) {
      const packetId = await won(id, user);
      await rain.settled(id);
      shown.push((await codeOf(user, packetId)).body.code);
    }
    expect(shown.sort()).toEqual(['a,"b"', 'c', long, 'd', 'e', 'g,h'].sort());
  });

  const lines = (...texts: unknown[]) => texts.map((text) => JSON.stringify(text)).join('\n');
  const NDJSON = 'application/x-ndjson';

  it.each<[string, string | Uint8Array<ArrayBuffer>, string | undefined, string, RegExp]>([
    ['a code twice in a file', 'a\nb\n\na', undefined, 'code_twice', /^Line 4: /],
    [
      'a code twice, far apart',
      `${codesOf(1_200, 'far').join('\n')}\nonce\n${codesOf(1_200, 'off').join('\n')}\nonce`,
      undefined,
      'code_twice',
      /^Line 2402: /,
    ],
    ['a code that the pool has', 'x\nkept', undefined, 'code_twice', /^Line 2: /],
    [
      'a code of 257 characters',
      `a\n${'x'.repeat(257)}`,
      undefined,
      'line_invalid',
      /^Line 2: a code has 1 to 256 characters, and it has 257\./,
    ],
    [
      'a code of no characters',
      lines({ code: 'a' }, { code: '' }),
      NDJSON,
      'line_invalid',
      /^Line 2: a code has 1 to 256 characters, and it has 0\./,
    ],
    ['a quoted code of no characters', 'a\n""', undefined, 'line_invalid', /^Line 2: .* it has 0\./],
    ['two cells', 'code\na,b', undefined, 'line_invalid', /^Line 2: it has 2 cells/],
    ['an open quote', 'a\n"b', undefined, 'line_invalid', /^Line 2: its quotes/],
    [
      'a control character',
      lines({ code: 'a\u0007b' }),
      NDJSON,
      'line_invalid',
      /^Line 1: it has control characters/,
    ],
    ['a line that is not JSON', 'a', NDJSON, 'line_invalid', /^Line 1: it is not a JSON object/],
    ['a list', lines(['a']), NDJSON, 'line_invalid', /^Line 1: its `code` is missing or not text/],
    ['a number', lines({ code: 7 }), NDJSON, 'line_invalid', /^Line 1: its `code` is missing or not text/],
    ['an endless line', 'x'.repeat(300_000), undefined, 'line_invalid', /^Line 1: /],
    ['another encoding', Uint8Array.from([0x61, 0x0a, 0xff, 0xfe]), undefined, 'line_invalid', /not UTF-8/],
    ['no code', '\n\n', undefined, 'line_invalid', /has no code/],
  ])(
    'refuses a whole file with %s, and names the line but not the code',
    async (_, body, type, code, detail) => {
      const pool = await newPool('careful', ['kept']);
      const answer = await upload(pool.id, body, { type });
      expect(answer).toMatchObject({
        status: 422,
        body: { code: `code_pool.${code}`, detail: expect.stringMatching(detail) },
      });
      expect(answer.body.detail).not.toContain('kept');
      expect(await countsOf(pool.id)).toMatchObject({ uploaded: 1, free: 1 });
      expect((await upload(pool.id, 'a\nonce', {})).body).toEqual({ count: 2, uploaded: 3 });
    },
  );

  it('refuses other media types, and a request without a key', async () => {
    const pool = await newPool('typed');
    expect((await upload(pool.id, '["a"]', { type: 'application/json' })).status).toBe(415);
    const bare = await fetch(`${rain.url}/v1/code-pools/${pool.id}/codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rain.tokenOf('typed')}`, 'content-type': 'text/csv' },
      body: 'a',
    });
    expect([bare.status, ((await bare.json()) as { code: string }).code]).toEqual([
      400,
      'idempotency.key_missing',
    ]);
    expect((await upload('999999', 'a')).body.code).toBe('code_pool.not_found');
    expect((await upload('9223372036854775807', 'a')).body.code).toBe('code_pool.not_found');
  });
});

describe('units of codes', () => {
  let pool: { id: string; currency: string };
  beforeAll(async () => {
    pool = await newPool('keeper', codesOf(5));
  });

  it.each<[string, object, string]>([
    ['another amount than one for each packet', { totalAmount: '3' }, 'totalAmount'],
    ['a random split', { split: { kind: 'random' } }, 'split.kind'],
    ['tiers', { split: { kind: 'tiers', tiers: [{ amount: '1', count: 2 }] } }, 'split.kind'],
    ['another sponsor', { sponsorId: 'thief' }, 'currency'],
  ])('are not given by an activity with %s', async (_, change, field) => {
    const answer = await rain
      .operator()
      .post('/v1/activities', { ...planOfCodes('keeper', pool.currency, 2), ...change });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('are not moved by hand: not deposited, reversed or paid out', async () => {
    const { currency } = pool;
    const deposit = await rain.operator().post('/v1/wallets/keeper/deposits', { amount: '1', currency });
    expect(deposit.body.errors).toMatchObject([
      { field: 'currency', message: expect.stringContaining(currency) },
    ]);
    const made = await rain.row<{ id: string }>(
      `select transfer.id from transfer join account on account.id = debit_account_id
        where transfer.kind = 'deposit' and currency = '${currency}'`,
    );
    const reversed = await rain.operator().post(`/v1/deposits/${made.id}/reverse`, { reason: 'A mistake.' });
    expect(reversed).toMatchObject({ status: 409, body: { code: 'deposit.kept' } });
    const channel = await rain
      .operator()
      .post('/v1/payout-channels', { name: 'Out', currency, profile: { smallest: '1' } });
    expect(channel.body.errors).toMatchObject([{ field: 'currency' }]);
  });

  it('do not let a winner give away a code that was won', async () => {
    const id = await begun('keeper', pool.currency, 1);
    await won(id, 'winner');
    await rain.settled(id);
    const answer = await rain
      .user('winner')
      .post('/v1/activities', { ...planOfCodes('winner', pool.currency, 1) });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'currency']);
  });
});

describe('no code of a pool', () => {
  it('appears in Postgres, Redis, a log, an export, an event, a webhook or an answer to anyone but its winner', async () => {
    const codes = codesOf(20);
    const receiver = await WebhookReceiver.start();
    await known(rain, await register(rain, `${receiver.url}/codes`));
    const events = await EventClient.connect(rain.url, rain.tokenOf('ann'));
    const pool = await newPool('silent', codes.slice(0, 12));
    const json = codes
      .slice(12)
      .map((code) => JSON.stringify({ code }))
      .join('\n');
    expect((await upload(pool.id, json, { type: 'application/x-ndjson' })).status).toBe(200);
    expect((await upload(pool.id, `fresh\n${codes[3]}`)).status).toBe(422);
    const id = await begun('silent', pool.currency, 15);
    const gateway = await GatewayClient.connect(rain.url, rain.tokenOf('bob'));
    const grab = await gateway.ask({ op: 'grab', activityId: id });
    const packets = { bob: grab.body.redPacketId as string, ann: await won(id, 'ann') };
    await rain.settled(id);
    const shown = await Promise.all(Object.entries(packets).map(([user, packet]) => codeOf(user, packet)));
    expect(codes).toEqual(expect.arrayContaining(shown.map(({ body }) => body.code)));
    await rain.closeActivity(id);
    await untilFree(pool.id, 18);
    await waitFor(
      () =>
        receiver
          .at('/codes')
          .some(({ body }) => body.type === 'activity.closed' && body.data.activityId === id),
      { what: 'the message of the close' },
    );

    const searched: Record<string, string> = {
      'the log of the API': rain.api.output,
      'the log of the worker': rain.worker!.output,
      webhooks: JSON.stringify(receiver.at('/codes').map(({ headers, text }) => [headers, text])),
      events: JSON.stringify(events.heard),
      gateway: JSON.stringify(grab),
      metrics: await (await fetch(`${rain.url}/metrics`)).text(),
    };
    const operator = rain.tokenOf('operator', 'operator');
    for (const path of [
      ...['results', 'claims', 'payouts', 'ledger'].map((file) => `activities/${id}/export/${file}`),
      ...['', '/grabs', '/fairness', '/reconciliation', '/progress', '/template'].map(
        (rest) => `activities/${id}${rest}`,
      ),
      ...[
        `code-pools/${pool.id}`,
        'code-pools',
        'audit-log?limit=100',
        'currencies',
        'overview',
        'deposits?reference=x',
      ],
      ...[
        `wallets/silent/entries?currency=${pool.currency}`,
        `wallets/ann/entries?currency=${pool.currency}`,
      ],
    ]) {
      const response = await fetch(`${rain.url}/v1/${path}`, {
        headers: { authorization: `Bearer ${operator}` },
      });
      searched[path] = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
    }
    searched['my packets'] = (await rain.user('ann').get(`/v1/me/packets?currency=${pool.currency}`)).text;
    const tables = await rain.sql<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const rows = await rain.sql<{ row: string }>(`select whole::text as row from ${name} as whole`);
      searched[`table ${name}`] = rows.map(({ row }) => row).join('\n');
    }
    for (const key of await rain.redis.keys('*'))
      searched[`Redis ${key}`] = key + String(await rain.redis.dump(key)) + (await rain.redis.type(key));
    expect(Object.keys(searched).length).toBeGreaterThan(60);

    const needles = codes.flatMap((code) => [
      code,
      Buffer.from(code).toString('hex'),
      Buffer.from(code).toString('base64'),
    ]);
    const found = Object.entries(searched).flatMap(([place, text]) =>
      needles.filter((needle) => text.includes(needle)).map((needle) => `${place}: ${needle}`),
    );
    expect(found).toEqual([]);
    // The search does find text that is there.
    expect(searched['table code_pool']).toContain('Pool of silent');
    expect(searched[`activities/${id}/export/claims`]).toContain('ann');
    await gateway.close();
    await events.close();
    await receiver.stop();
  });
});
