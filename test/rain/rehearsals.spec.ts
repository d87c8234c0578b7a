import { join } from 'node:path';
import { REPORT_EXAMPLES } from '../../src/extensions/rehearsal/rehearsal-report.dto';
import type { Caller } from '../harness/client';
import { runProgram, typed } from '../harness/command-line';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { JWT_SECRET, planOf } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { known, register } from '../webhook/support';

shareInstallation({ WEBHOOK_PRIVATE_ADDRESSES: 'true' });

const terms = (opensInMs = 60_000) => ({
  name: 'Dress rehearsal',
  totalAmount: '4.00',
  packetCount: 4,
  split: { kind: 'equal' },
  opensAt: new Date(Date.now() + opensInMs).toISOString(),
  closesAt: new Date(Date.now() + 3_600_000).toISOString(),
});

/** Under load a win may be answered 202 first, and is then the user's own: code 1. */
const win = (userId: string, activityId: string) =>
  waitFor(
    async () => {
      const { status, body } = await rain.tap(activityId, userId);
      if (status >= 400) throw new Error(JSON.stringify(body));
      return body.code === '0' || body.code === '1';
    },
    { what: `a win of activity ${activityId}` },
  );

const create = (more: object = {}, opensInMs?: number) =>
  rain.operator().post('/v1/activities', { ...terms(opensInMs), rehearsal: true, ...more });

describe('a rehearsal', () => {
  it('needs no deposit, pays play money into wallets of its own, and says what it is', async () => {
    const { status, body } = await create({ sponsorId: 'rehearsing' }, -1_000);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { currency: 'XTS', rehearsal: true, totalAmount: '4.00' },
    });
    const player = rain.user('rehearsed');
    await win('rehearsed', body.id);
    await waitFor(async () => (await player.get('/v1/me/wallet?currency=XTS')).body.balance === '1.00', {
      what: 'play money in a wallet',
    });
    expect((await player.get('/v1/me/wallet')).body).toMatchObject({ balance: '0.00', pending: '0.00' });
    expect((await rain.operator().get('/v1/wallets/rehearsing')).body.balance).toBe('0.00');
  });

  it('is listed for staff and for nobody else', async () => {
    const { body } = await create({ sponsorId: 'unlisted' });
    const listed = async (who: ReturnType<typeof rain.user>) =>
      ((await who.get('/v1/activities?sponsorId=unlisted')).body.items as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await listed(rain.operator())).toEqual([body.id]);
    expect(await listed(rain.user('passer-by'))).toEqual([]);
  });

  it('takes nothing of the limits on the wins of real rains, and shows the limits that were sent', async () => {
    const limits = { perUser: 1, group: 'both', timeZone: 'UTC' };
    const { body } = await create({ sponsorId: 'limiting', limits }, -1_000);
    expect(body.limits).toEqual(limits);
    const real = await rain.createActivity({ sponsorId: 'limiting', limits });
    await win('twice', body.id);
    await win('twice', real);
  });

  it('is topped up and closed at the same moment without either waiting for the other in vain', async () => {
    const { body } = await create({ sponsorId: 'hurried' });
    const topUp = { amount: '5.00', currency: 'XTS', packetCount: 500 };
    const added = Array.from({ length: 4 }, () =>
      rain.operator().post(`/v1/activities/${body.id}/top-ups`, topUp),
    );
    const closed = await rain.closeActivity(body.id);
    const answers = [closed, ...(await Promise.all(added))].map(({ status }) => status);
    expect(answers.filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    expect(closed.status).toBe(200);
  });

  it('is counted in a group that no request can name', async () => {
    const limits = { perUser: 1, group: '\u001adefault' };
    expect(await create({ limits })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'limits.group' }] },
    });
  });

  it('is refused to users, and in a currency that is worth something', async () => {
    expect((await rain.user('u').post('/v1/activities', { ...terms(), rehearsal: true })).body).toMatchObject(
      { code: 'request.invalid', errors: [{ field: 'rehearsal', rule: 'forbidden' }] },
    );
    expect((await create({ currency: 'CNY' })).body).toMatchObject({
      errors: [{ field: 'currency', rule: 'one-of', values: ['XTS'] }],
    });
    expect((await create({ currency: 'XTS' })).status).toBe(201);
    expect((await create({ currency: 'XTS', rehearsal: false })).body).toMatchObject({
      errors: [{ field: 'rehearsal', rule: 'required' }],
    });
  });

  it.each([
    ['deposit', () => rain.operator().post('/v1/wallets/hand/deposits', { amount: '1.00', currency: 'XTS' })],
    ['budget', () => rain.operator().patch('/v1/wallets/hand/budget', { perDay: '1.00', currency: 'XTS' })],
    [
      'channel',
      () =>
        rain
          .operator()
          .post('/v1/payout-channels', { name: 'Play', currency: 'XTS', profile: { smallest: '0.01' } }),
    ],
  ])('allows no %s by hand in play money', async (_, ask) => {
    const { status, body } = await ask();
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'request.invalid', errors: [{ field: 'currency', rule: 'one-of' }] },
    });
  });

  it('can be topped up without a deposit, can be created again from its template, and keeps the money that was made for it', async () => {
    const limits = { perUser: 2, group: 'again', timeZone: 'UTC' };
    const { body } = await create({ sponsorId: 'adding', limits });
    const topUp = { amount: '1.00', currency: 'XTS', packetCount: 1 };
    const added = await rain.operator().post(`/v1/activities/${body.id}/top-ups`, topUp);
    expect({ status: added.status, body: added.body }).toMatchObject({
      status: 201,
      body: { currency: 'XTS' },
    });
    const { body: template } = await rain.operator().get(`/v1/activities/${body.id}/template`);
    expect(template).toMatchObject({ rehearsal: true, currency: 'XTS', totalAmount: '4.00', limits });
    const { opensAt, closesAt } = terms();
    const again = await rain.operator().post('/v1/activities', { ...template, opensAt, closesAt });
    expect(again).toMatchObject({ status: 201, body: { rehearsal: true, limits } });
    const entries = await rain.operator().get('/v1/wallets/adding/entries?currency=XTS&kind=deposit');
    const made = entries.body.items as { transferId: string; amount: string }[];
    expect(made.map(({ amount }) => amount)).toEqual(['4.00', '1.00', '4.00']);
    const path = `/v1/deposits/${made[0]!.transferId}/reverse`;
    expect(await rain.operator().post(path, { reason: 'A mistake.' })).toMatchObject({
      status: 409,
      body: { code: 'deposit.kept' },
    });
  });

  it('refunds what nobody won, and the next rehearsal uses that, so that play money never leaves its own accounts', async () => {
    const { body } = await create({ sponsorId: 'refunded' });
    expect((await rain.closeActivity(body.id)).status).toBe(200);
    expect((await rain.operator().get('/v1/wallets/refunded?currency=XTS')).body.balance).toBe('4.00');
    expect((await create({ sponsorId: 'refunded', totalAmount: '5.00' })).status).toBe(201);
    const entries = await rain.operator().get('/v1/wallets/refunded/entries?currency=XTS&kind=deposit');
    expect(entries.body.items.map(({ amount }: { amount: string }) => amount)).toEqual(['1.00', '4.00']);
  });

  it('pays out through no channel', async () => {
    const channel = await rain
      .operator()
      .post('/v1/payout-channels', { name: 'Real', profile: { smallest: '0.01' } });
    const channelId = channel.body.id as string;
    expect((await create({ payout: { channelId } })).body).toMatchObject({
      errors: [{ field: 'payout.channelId' }],
    });
    const { body } = await rain
      .user('rehearsed')
      .post('/v1/me/payouts', { amount: '1.00', currency: 'XTS', channelId });
    expect(body).toMatchObject({ code: 'request.invalid', errors: [{ field: 'currency' }] });
  });
});

describe('where real money is counted, limited or listed, a rehearsal', () => {
  const BOUND = {
    APPROVAL_ABOVE: '2.00',
    APPROVAL_ABOVE_DAILY: '3.00',
    ACTIVITIES_PER_SPONSOR_MAX: '2',
    PACKETS_PER_SPONSOR_DAILY_MAX: '1000',
  };
  let url: string;
  let stop: () => Promise<void>;
  let staff: Caller;

  beforeAll(async () => {
    const api = await rain.startAnother('main.js', BOUND);
    ({ url } = api);
    stop = () => api.program.stop();
    staff = rain.operator('director', url);
  });

  afterAll(() => stop());

  const rehearse = async (sponsorId: string, more: object = {}, opensInMs?: number): Promise<string> => {
    const body = { ...terms(opensInMs), rehearsal: true, sponsorId, ...more };
    const answer = await staff.post('/v1/activities', body);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
    return answer.body.id as string;
  };
  const real = { totalAmount: '1.00', packetCount: 1, opensInMs: 60_000 };
  const fund = (ownerId: string) => rain.deposit(ownerId, '1.00');
  const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

  const CASES: readonly (readonly [string, string, () => Promise<void>])[] = [
    [
      'a budget',
      'takes nothing of it',
      async () => {
        await staff.patch('/v1/wallets/of-budget/budget', { perDay: '1.00' });
        await rehearse('of-budget');
        expect((await staff.get('/v1/wallets/of-budget/budget')).body).toMatchObject({ spentToday: '0.00' });
      },
    ],
    [
      'what one person may do alone',
      'needs no second person, and takes nothing of the sum of a day',
      async () => {
        const id = await rehearse('of-alone');
        const topUp = { amount: '9.00', currency: 'XTS', packetCount: 1 };
        expect((await staff.post(`/v1/activities/${id}/top-ups`, topUp)).status).toBe(201);
        const one = rain.operator('all-day', url);
        await one.post('/v1/activities', { ...terms(), rehearsal: true });
        const deposit = (amount: string) => one.post('/v1/wallets/of-alone/deposits', { amount });
        expect([(await deposit('2.00')).status, (await deposit('1.01')).status]).toEqual([201, 202]);
        expect((await staff.get('/v1/overview')).body.money.approvals).toBe(1);
      },
    ],
    [
      'the activities of a sponsor',
      'is counted only with other rehearsals',
      async () => {
        await rehearse('of-many');
        await rehearse('of-many');
        const third = await staff.post('/v1/activities', {
          ...terms(),
          rehearsal: true,
          sponsorId: 'of-many',
        });
        expect(third).toMatchObject({ status: 409, body: { code: 'activity.too_many' } });
        await fund('of-many');
        const plan = planOf({ ...real, sponsorId: 'of-many' });
        expect((await staff.post('/v1/activities', plan)).status).toBe(201);
      },
    ],
    [
      'the packets of a user in a day',
      'takes none of them',
      async () => {
        await rehearse('of-packets');
        await fund('of-packets');
        const plan = planOf({ ...real, sponsorId: 'of-packets' });
        expect((await rain.user('of-packets', url).post('/v1/activities', plan)).status).toBe(201);
      },
    ],
    [
      'an export',
      'is refused',
      async () => {
        const id = await rehearse('of-export');
        for (const kind of ['claims', 'ledger', 'payouts', 'results'])
          expect(await staff.get(`/v1/activities/${id}/export/${kind}`)).toMatchObject({
            status: 409,
            body: { code: 'export.play_money' },
          });
      },
    ],
    [
      'a statement',
      'is refused in every format, to its sponsor, a winner and staff',
      async () => {
        const id = await rehearse('of-statement', {}, -1_000);
        await win('of-statement-winner', id);
        await rain.settled(id);
        const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
        // Each format counts as twenty requests, so everyone asks for few.
        for (const [who, path] of [
          [rain.user('of-statement', url), 'me'],
          [rain.user('of-statement-winner', url), 'me'],
          [rain.operator('reads-sponsor', url), 'wallets/of-statement'],
          [rain.as('finance', 'reads-winner', url), 'wallets/of-statement-winner'],
        ] as const)
          for (const format of ['json', 'csv', 'camt053'])
            expect(
              await who.get(`/v1/${path}/statements/${yesterday}?currency=XTS&format=${format}`),
            ).toMatchObject({ status: 409, body: { code: 'statement.play_money' } });
      },
    ],
    [
      'a list for players, with and without a name',
      'is left out',
      async () => {
        const id = await rehearse('of-list', { name: 'Only for staff' });
        for (const query of ['sponsorId=of-list', 'name=Only'])
          for (const [who, ids] of [
            [staff, [id]],
            [rain.user('of-list', url), []],
          ] as const)
            expect(idsOf(await who.get(`/v1/activities?${query}`))).toEqual(ids);
      },
    ],
    [
      'the front page',
      'is not the rain to play',
      async () => {
        const id = await rehearse('of-front', {}, -1_000);
        expect(await (await fetch(`${url}/`)).text()).not.toContain(`/rain/${id}"`);
      },
    ],
    [
      'the list of sponsors',
      'is not among the activities, nor its money in the sums',
      async () => {
        await rehearse('of-sponsors');
        await fund('of-sponsors');
        const { body } = await staff.get('/v1/sponsors?sponsorId=of-sponsors');
        expect(body.items).toMatchObject([{ balance: '1.00', inActivities: '0.00', activities: 0 }]);
      },
    ],
    [
      'the wallets, lines and packets of a winner',
      'is only where somebody asks for XTS',
      async () => {
        const id = await rehearse('of-wallet', {}, -1_000);
        await win('of-winner', id);
        await rain.settled(id);
        const winner = rain.user('of-winner', url);
        const currencies = (await winner.get('/v1/me/wallets')).body.items as { currency: string }[];
        expect(currencies.map(({ currency }) => currency)).toEqual(['CNY']);
        for (const [path, found] of [
          ['packets', 0],
          ['wallet/entries', 0],
          ['packets?currency=XTS', 1],
          ['wallet/entries?currency=XTS', 1],
        ] as const)
          expect([path, (await winner.get(`/v1/me/${path}`)).body.items.length]).toEqual([path, found]);
      },
    ],
    [
      'the sums of what a user has sent and received',
      'is left out, even where somebody asks for XTS',
      async () => {
        const id = await rehearse('of-sums', {}, -1_000);
        await win('of-sums', id);
        await rain.settled(id);
        for (const path of ['sent', 'packets', 'packets?currency=XTS'])
          expect((await rain.user('of-sums', url).get(`/v1/me/${path}`)).body.totals).toEqual([]);
      },
    ],
    [
      'the activity before, with which a history is compared',
      'is that of a rehearsal, never of a real rain',
      async () => {
        const played = async (id: string) => {
          await rain.tap(id, 'of-history');
          await waitFor(async () => (await rain.sql(`select from tap_minute where activity_id = ${id}`))[0], {
            what: 'its minutes',
          });
          return (await staff.get(`/v1/activities/${id}/history`)).body.previousActivityId as string | null;
        };
        const [first, second] = [
          await rain.createActivity({ sponsorId: 'of-history' }),
          await rehearse('of-history', {}, -1_000),
        ];
        expect([await played(first), await played(second)]).toEqual([null, null]);
        expect(await played(await rain.createActivity({ sponsorId: 'of-history' }))).toBe(first);
        expect(await played(await rehearse('of-history', {}, -1_000))).toBe(second);
      },
    ],
    [
      'the rains that run now',
      'says to staff what it is, comes after the others, and is left out for everybody else',
      async () => {
        const id = await rehearse('of-now', { totalAmount: '99999.00' }, -1_000);
        const seenBy = async (who: Caller) =>
          (await who.get('/v1/overview/activities')).body as {
            running: { id: string; rehearsal?: true }[];
            runningCount: number;
          };
        const { running } = await seenBy(staff);
        expect(running.find((one) => one.id === id)).toMatchObject({ rehearsal: true });
        const first = running.findIndex(({ rehearsal }) => rehearsal);
        expect(running.slice(first).every(({ rehearsal }) => rehearsal)).toBe(true);
        const shown = await seenBy(rain.user('passer-by', url));
        expect(shown.running.filter(({ rehearsal }) => rehearsal)).toEqual([]);
        expect(shown.runningCount).toBe(shown.running.length);
      },
    ],
    [
      'an event and a webhook',
      'says what it is',
      async () => {
        const receiver = await WebhookReceiver.start();
        const hook = await register(rain, `${receiver.url}/news`, ['wallet.credited']);
        await known(rain, hook);
        const id = await rehearse('of-news', {}, -1_000);
        const client = await EventClient.connect(url, rain.tokenOf('of-news-winner'));
        await win('of-news-winner', id);
        await win('of-news-winner', await rain.createActivity({ sponsorId: 'of-news' }));
        const told = () =>
          client.heard.filter(({ event }) => event === 'wallet.credited').map(({ data }) => data.rehearsal);
        const posted = () =>
          receiver
            .at('/news')
            .filter(({ body }) => body.data.userId === 'of-news-winner')
            .map(({ body }) => body.data.rehearsal as unknown);
        await waitFor(() => told().length === 2 && posted().length >= 2, { what: 'both credits' });
        for (const marks of [told(), posted()]) expect(new Set(marks)).toEqual(new Set([true, undefined]));
        await client.close();
        await rain.operator().delete(`/v1/webhooks/${hook.id}`);
        await receiver.stop();
      },
    ],
  ];

  it.each(CASES)('%s: %s', (_place, _does, check) => check());
});

describe('how a rehearsal went', () => {
  const report = { ...Object.values(REPORT_EXAMPLES)[0]!, brokeFirst: undefined };
  const reportOn = (id: string, more: object = {}, who = rain.as('campaign')) =>
    who.post(`/v1/activities/${id}/rehearsal-reports`, { ...report, ...more });
  const checkOf = async (id: string) => {
    const { body } = await rain.operator().get(`/v1/activities/${id}/preflight`);
    return (
      body.checks as { name: string; code: string; verdict: string; figures: string[]; reason: string }[]
    ).find(({ name }) => name === 'rehearsal')!;
  };
  const large = { totalAmount: '1000.00', packetCount: 1_000, split: { kind: 'random' }, opensInMs: 60_000 };

  it('is named by the pre-flight of a real activity with these very terms, and of no other', async () => {
    const wish = { ...large, sponsorId: 'careful' };
    const real = await rain.createActivity({ ...wish, name: 'The real one' });
    expect(await checkOf(real)).toMatchObject({ code: 'rehearsal.none', verdict: 'warn' });
    const other = await rain.createActivity({ ...wish, packetCount: 1_001 });
    const { body } = await create({ ...planOf({ ...wish, opensInMs: 0 }) });
    const answer = await reportOn(body.id);
    expect(answer).toMatchObject({
      status: 201,
      body: { activityId: body.id, reportedBy: 'campaign', p99Ms: 22 },
    });
    expect(await checkOf(real)).toEqual({
      name: 'rehearsal',
      verdict: 'ok',
      code: 'rehearsal.held',
      figures: [body.id, answer.body.reportedAt, '200000', '5000', '22'],
      reason: `Activity ${body.id} rehearsed these terms until ${answer.body.reportedAt}: 200000 taps at 5000 a second, p99 22 ms; nothing broke.`,
    });
    expect((await checkOf(other))?.code).toBe('rehearsal.none');
    await reportOn(body.id, { brokeFirst: 'slow' });
    expect(await checkOf(real)).toMatchObject({ code: 'rehearsal.broke', verdict: 'warn' });
    expect((await checkOf(real)).figures[5]).toBe('slow');
  });

  it('causes no warning once the rain is open, nor for a small one', async () => {
    const open = await rain.createActivity({ ...large, opensInMs: 0 });
    const small = await rain.createActivity({ opensInMs: 60_000 });
    for (const id of [open, small]) expect(await checkOf(id)).toBeUndefined();
  });

  it('is reported only for rehearsals, by staff who may create them, with possible figures', async () => {
    const { body } = await create({ sponsorId: 'of-reports' });
    const real = await rain.createActivity();
    expect(await reportOn(real)).toMatchObject({ status: 409, body: { code: 'activity.not_a_rehearsal' } });
    expect((await reportOn('999999')).status).toBe(404);
    for (const who of [rain.user('of-reports'), rain.as('finance'), rain.as('support')])
      expect((await reportOn(body.id, {}, who)).status).toBe(403);
    for (const [field, value] of [
      ['taps', -1],
      ['taps', 1.5],
      ['tapsPerSecond', 0],
      ['p99Ms', '22'],
      ['brokeFirst', 'everything'],
      ['answers', {}],
      ['answers', []],
    ] as const)
      expect([field, (await reportOn(body.id, { [field]: value })).status]).toEqual([field, 400]);
    const answers = { ...report.answers, won: 100, already: 0, soldOut: 0, refused: 100 };
    expect(await reportOn(body.id, { taps: 200, answers })).toMatchObject({
      status: 422,
      body: { code: 'activity.nobody_let_in' },
    });
    expect((await reportOn(body.id, { taps: 201, answers })).status).toBe(201);
  });

  describe('npm run rehearse', () => {
    const rehearse = (...args: string[]) => {
      const token = rain.tokenOf('dir', 'operator');
      const env = { ...process.env, JWT_SECRET, HONGBAO_URL: rain.url, HONGBAO_TOKEN: token };
      return runProgram(process.execPath, [join('dist', 'src', 'dev', 'rehearse.js'), ...args], { env });
    };

    it('brings a crowd that taps, wins and is paid, and reports what the activity then shows', async () => {
      const { body } = await create({ sponsorId: 'crowded' }, 1_000);
      const crowd = typed('--taps-per-second 40 --seconds 2 --users 10');
      const { code, stdout, stderr } = await rehearse(body.id, ...crowd);
      expect([stderr, code]).toEqual(['', 0]);
      expect(stdout).toContain(
        `Rehearsal of activity ${body.id}, “Dress rehearsal”, at 40 taps a second for 2 s`,
      );
      expect(stdout).toMatch(/^broke first +nothing$/m);
      const row = await rain.row<{ taps: number; answers: Record<string, number> }>(
        `select taps, answers from rehearsal_report where activity_id = ${body.id}`,
      );
      expect(row.taps).toBe(80);
      const { won, reserved, already, soldOut } = row.answers;
      expect(won! + reserved! + already! + soldOut!).toBe(80);
      expect(await rain.proof(body.id)).toMatchObject({ claims: { pending: 0 }, credited: '4.00' });
      expect((await checkOf(body.id)).code).toBe('rehearsal.held');
    });

    it.each<[string, () => Promise<string[]>, string]>([
      ['a real activity', async () => [await rain.createActivity()], 'its packets are worth something'],
      [
        'one that asks for tickets',
        async () => [(await create({ admission: 'ticket' })).body.id as string],
        'asks for tickets',
      ],
      [
        'one that is over',
        async () => {
          const { body } = await create({ sponsorId: 'over' });
          await rain.closeActivity(body.id);
          return [body.id as string];
        },
        'create another one',
      ],
      ['no activity', async () => [], 'Name one activity.'],
      [
        'an invalid rate',
        async () => ['1', '--taps-per-second', 'many'],
        '--taps-per-second must be a whole number',
      ],
    ])('taps nothing and exits with 2 for %s', async (_, args, why) => {
      const [id, ...more] = await args();
      const given = id === undefined ? [] : [id, ...(more.length > 0 ? more : ['--taps-per-second', '10'])];
      const { code, stderr } = await rehearse(...(given.length > 0 ? given : ['--taps-per-second', '10']));
      expect(stderr).toContain(why);
      expect(code).toBe(2);
    });
  });
});
