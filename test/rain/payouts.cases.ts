import { randomUUID } from 'node:crypto';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { brokenIn } from '../harness/invariants';
import { rain } from '../harness/shared-installation';

const profile = { smallest: '1.00', largest: '50.00', perUserPerDay: '80.00', timeZone: 'Asia/Shanghai' };

describe('a payout', () => {
  let channelId: string;

  beforeAll(async () => {
    channelId = (await createChannel()).body.id;
  });

  const createChannel = (more: object = {}): Promise<Answer> =>
    rain.operator().post('/v1/payout-channels', { name: 'Shop balance', profile, ...more });
  const fund = (user: string, amount = '100.00') => rain.deposit(user, amount);
  const ask = (user: string, amount: string, channel = channelId, key?: string) =>
    rain.user(user).post('/v1/me/payouts', { amount, channelId: channel }, { key });
  const asked = async (user: string, amount: string, channel = channelId): Promise<string> => {
    const { status, body } = await ask(user, amount, channel);
    expect({ status, ...body }).toMatchObject({ status: 201, state: 'reserved', amount, userId: user });
    return body.id as string;
  };
  const report = async (outcomes: object[], channel = channelId) =>
    (await rain.channel(channel).post('/v1/payouts/outcomes', { outcomes })).body.results;
  const read = async (id: string) => (await rain.as('support').get(`/v1/payouts/${id}`)).body;
  const balanceOf = async (user: string) => (await rain.user(user).get('/v1/me/wallet')).body.balance;
  const waiting = async (channel = channelId): Promise<string[]> =>
    (await rain.as('support').get(`/v1/payout-channels/${channel}/waiting?limit=100`)).body.items.map(
      ({ id }: { id: string }) => id,
    );

  it('leaves the wallet when it is requested, waits for the channel, and is paid once', async () => {
    await fund('leaver');
    const first = await ask('leaver', '7.10', channelId, 'asked-once');
    const id = first.body.id as string;
    expect(first).toMatchObject({
      status: 201,
      body: { id, state: 'reserved', amount: '7.10', currency: 'CNY', attempt: 1, endedAt: null },
    });
    expect((await ask('leaver', '7.10', channelId, 'asked-once')).body).toEqual(first.body);
    expect([await balanceOf('leaver'), await waiting()]).toEqual(['92.90', expect.arrayContaining([id])]);

    const paid = { id, outcome: 'paid', externalId: 'T-1' };
    expect(await report([paid])).toEqual([{ id, result: 'applied', state: 'paid' }]);
    expect(await report([paid, { id: '999999999', outcome: 'paid' }])).toEqual([
      { id, result: 'unchanged', state: 'paid' },
      { id: '999999999', result: 'not-found', state: null },
    ]);
    expect(await read(id)).toMatchObject({
      state: 'paid',
      externalId: 'T-1',
      endedAt: expect.any(String),
      steps: [{ state: 'reserved' }, { state: 'paid', detail: { externalId: 'T-1', reportedBy: 'shop' } }],
    });
    expect([await balanceOf('leaver'), await waiting()]).toEqual(['92.90', expect.not.arrayContaining([id])]);
    const { items } = (await rain.user('leaver').get('/v1/me/wallet/entries?kind=payout')).body;
    expect(items).toMatchObject([{ kind: 'payout', amount: '-7.10', activityId: null }]);
  });

  it('comes back to the wallet when the channel refuses or returns it, and no longer counts for the day', async () => {
    await fund('unlucky');
    const refused = await asked('unlucky', '50.00');
    expect((await ask('unlucky', '30.01')).body.code).toBe('payout.limit_reached');
    await report([{ id: refused, outcome: 'refused', code: 'user-closed' }]);
    expect(await read(refused)).toMatchObject({ state: 'refused', code: 'user-closed' });
    expect(await balanceOf('unlucky')).toBe('100.00');
    const returned = await asked('unlucky', '50.00');
    await report([{ id: returned, outcome: 'paid' }]);
    expect(await balanceOf('unlucky')).toBe('50.00');
    expect(await report([{ id: returned, outcome: 'returned' }])).toMatchObject([{ result: 'applied' }]);
    expect(await balanceOf('unlucky')).toBe('100.00');
  });

  it('shows the user what the channel wants, and ignores late reports', async () => {
    await fund('slow');
    const id = await asked('slow', '2.00');
    await report([{ id, outcome: 'needs-user', action: 'Confirm in the app.' }]);
    const { items } = (await rain.user('slow').get('/v1/me/payouts?state=needs-user')).body;
    expect(items).toMatchObject([{ id, action: 'Confirm in the app.' }]);
    await report([{ id, outcome: 'needs-user', action: 'That link has expired: confirm by this one.' }]);
    expect((await read(id)).action).toBe('That link has expired: confirm by this one.');
    await report([{ id, outcome: 'paid' }]);
    expect(await report([{ id, outcome: 'processing' }])).toEqual([
      { id, result: 'unchanged', state: 'paid' },
    ]);
    expect((await read(id)).action).toBeNull();
  });

  it('with two contradicting reports becomes a finding, which a person ends, and moves no money', async () => {
    await fund('twofold');
    const id = await asked('twofold', '3.00');
    await report([{ id, outcome: 'refused' }]);
    for (let time = 0; time < 2; time += 1)
      expect(await report([{ id, outcome: 'paid', externalId: 'T-9' }])).toEqual([
        { id, result: 'finding', state: 'refused' },
      ]);
    expect(await balanceOf('twofold')).toBe('100.00');
    const finance = rain.as('finance');
    const open = (await finance.get('/v1/payout-findings')).body.items as { id: string; payoutId: string }[];
    const ours = open.filter(({ payoutId }) => payoutId === id);
    expect(ours).toMatchObject([{ kind: 'refused-but-paid', detail: { externalId: 'T-9', amount: '3.00' } }]);
    expect(await brokenIn(rain)).toEqual(['I18']);

    const own = (sub: string) => rain.as('finance', sub).post(`/v1/payout-findings/${ours[0]!.id}/own`);
    expect((await own('fin-1')).body).toMatchObject({ owner: 'fin-1', endedAt: null });
    expect((await own('fin-2')).body.owner).toBe('fin-2');
    const end = () =>
      finance.post(`/v1/payout-findings/${ours[0]!.id}/end`, { resolution: 'The user paid it back.' });
    expect((await end()).body).toMatchObject({ endedBy: 'finance', resolution: 'The user paid it back.' });
    for (const late of [await end(), await own('fin-1')])
      expect(late).toMatchObject({ status: 409, body: { code: 'payout_finding.ended' } });
    const ended = { owner: 'fin-2', endedBy: 'finance', kind: 'refused-but-paid' };
    expect((await read(id)).findings).toMatchObject([ended]);
    expect(await brokenIn(rain)).toEqual([]);
  });

  it('that seems to have been paid under two names becomes a finding, once, and its history keeps every name', async () => {
    await fund('twice');
    const [late, early, refused] = [
      await asked('twice', '1.00'),
      await asked('twice', '2.00'),
      await asked('twice', '3.00'),
    ];
    const paid = (id: string, externalId?: string) => ({ id, outcome: 'paid', externalId });
    const reports = [
      ...[paid(late), paid(late, 'T-1'), paid(late, 'T-2')],
      ...[{ ...paid(early, 'T-1'), outcome: 'processing' }, paid(early, 'T-2')],
      ...[
        { id: refused, outcome: 'refused' },
        paid(refused, 'T-1'),
        paid(refused, 'T-2'),
        paid(refused, 'T-2'),
      ],
    ];
    expect((await report(reports)).map(({ result }: { result: string }) => result)).toEqual([
      ...['applied', 'unchanged', 'finding'],
      ...['applied', 'finding'],
      ...['applied', 'finding', 'finding', 'finding'],
    ]);
    expect(await read(late)).toMatchObject({ externalId: 'T-1', state: 'paid' });
    expect(await read(early)).toMatchObject({ externalId: 'T-1', state: 'processing' });
    expect((await read(refused)).steps.slice(2)).toMatchObject([
      { state: 'refused', detail: { reported: 'paid', externalId: 'T-1', reportedBy: 'shop' } },
      { state: 'refused', detail: { reported: 'paid', externalId: 'T-2' } },
    ]);
    const finance = rain.as('finance');
    const open = async () =>
      (
        (await finance.get('/v1/payout-findings?limit=100')).body.items as { id: string; payoutId: string }[]
      ).filter(({ payoutId }) => [late, early, refused].includes(payoutId));
    expect(await open()).toMatchObject([
      { kind: 'refused-but-paid', detail: { externalId: 'T-1' } },
      { kind: 'processing-but-paid', detail: { externalId: 'T-2' } },
      { kind: 'paid-but-paid', detail: { externalId: 'T-2' } },
    ]);
    for (const { id } of await open())
      await finance.post(`/v1/payout-findings/${id}/end`, { resolution: 'Paid back.' });
    await report([paid(refused, 'T-2'), paid(late, 'T-2')]);
    expect(await open()).toEqual([]);
  });

  it('that is never reported is ended by two people with evidence', async () => {
    await fund('forgotten');
    const id = await asked('forgotten', '4.00');
    const body = { outcome: 'paid', evidence: 'Bank statement, line 17.', externalId: 'B-17' };
    const resolve = await rain.as('finance', 'ann').post(`/v1/payouts/${id}/resolve`, body);
    expect(resolve).toMatchObject({
      status: 202,
      body: { status: 'pending', action: 'payout.resolve', subject: `payout:${id}` },
    });
    expect((await read(id)).state).toBe('reserved');
    // The shop must not pay a payout that a second person may be about to declare refused.
    expect(await waiting()).not.toContain(id);
    const approve = (who: string) => rain.as('finance', who).post(`/v1/approvals/${resolve.body.id}/approve`);
    expect((await approve('ann')).body.code).toBe('approval.own');
    expect((await approve('bob')).body.status).toBe('approved');
    expect(await read(id)).toMatchObject({
      state: 'paid',
      externalId: 'B-17',
      steps: [{}, { detail: { evidence: body.evidence, approvedBy: 'bob' } }],
    });
    const again = await rain.as('finance', 'ann').post(`/v1/payouts/${id}/resolve`, body);
    expect(again).toMatchObject({ status: 409, body: { code: 'payout.not_open' } });
  });

  it('is never decided by the person it would pay', async () => {
    await fund('greedy');
    const [id, ended] = [await asked('greedy', '4.00'), await asked('greedy', '5.00')];
    const said = { outcome: 'refused', evidence: 'It never arrived.' };
    for (const role of ['finance', 'operator'] as const) {
      const self = rain.as(role, 'greedy');
      for (const staff of [self, rain.as(role)])
        expect(
          await staff.post('/v1/payouts/outcomes', { outcomes: [{ id, outcome: 'returned' }] }),
        ).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } });
      const own = { status: 403, body: { code: 'payout.own' } };
      expect(await self.post(`/v1/payouts/${id}/resolve`, said)).toMatchObject(own);
      const { body } = await rain.as('finance', 'accomplice').post(`/v1/payouts/${id}/resolve`, said);
      expect(await self.post(`/v1/approvals/${body.id}/approve`)).toMatchObject(own);
    }
    await report([
      { id: ended, outcome: 'paid', externalId: 'T-1' },
      { id: ended, outcome: 'paid', externalId: 'T-2' },
    ]);
    const { items } = (await rain.as('finance').get('/v1/payout-findings?limit=100')).body;
    const finding = items.find(({ payoutId }: { payoutId: string }) => payoutId === ended);
    const end = (who: string) =>
      rain.as('finance', who).post(`/v1/payout-findings/${finding.id}/end`, { resolution: 'Paid back.' });
    expect((await end('greedy')).body.code).toBe('payout.own');
    expect((await end('honest')).status).toBe(200);
    expect([await balanceOf('greedy'), (await read(id)).state]).toEqual(['91.00', 'reserved']);
  });

  it('is known only to the back end of its own channel, which may do nothing else', async () => {
    await fund('guarded');
    const other = (await createChannel({ name: 'Other' })).body.id as string;
    const [id, foreign] = [await asked('guarded', '4.00'), await asked('guarded', '5.00', other)];
    for (const outcome of ['paid', 'refused', 'returned'])
      expect(await report([{ id, outcome }], other)).toEqual([{ id, result: 'not-found', state: null }]);
    expect([await balanceOf('guarded'), (await read(id)).state]).toEqual(['91.00', 'reserved']);
    const [ours, theirs] = [rain.channel(channelId), rain.channel(other)];
    const path = `/v1/payout-channels/${other}/waiting`;
    expect((await theirs.get(path)).body.items).toMatchObject([{ id: foreign }]);
    expect(await ours.get(path)).toMatchObject({ status: 404, body: { code: 'payout_channel.not_found' } });
    for (const inspected of ['/v1/payouts', `/v1/payouts/${foreign}`, '/v1/me/wallet', '/v1/payout-channels'])
      expect((await theirs.get(inspected)).status).toBe(403);
    expect((await theirs.post('/v1/me/payouts', { amount: '1.00', channelId: other })).status).toBe(403);
  });

  it('is refused with a reason that names the limit, and leaves nothing behind', async () => {
    await fund('bounded', '60.00');
    const codes = async (...amounts: string[]) =>
      Promise.all(amounts.map(async (amount) => (await ask('bounded', amount)).body.code));
    expect(await codes('0.99', '50.01', '0', '-1', 'many')).toEqual([
      ...['payout.below_smallest', 'payout.above_largest'],
      ...['request.invalid', 'request.invalid', 'request.invalid'],
    ]);
    expect((await ask('bounded', '5.00', '999999')).body.code).toBe('payout_channel.not_found');
    await asked('bounded', '50.00');
    expect(await codes('10.01')).toEqual(['wallet.insufficient_funds']);
    expect((await ask('penniless', '5.00')).body.code).toBe('wallet.insufficient_funds');
    expect(await balanceOf('bounded')).toBe('10.00');
  });

  it('never takes more than the wallet or the day allows, even if many are requested at once', async () => {
    await fund('hurried');
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask('hurried', '20.00')));
    const codes = answers.map(({ status, body }) => (status === 201 ? 'reserved' : body.code)).sort();
    expect(codes.filter((code) => code === 'reserved')).toHaveLength(4);
    expect(new Set(codes.slice(0, -4))).toEqual(new Set(['payout.limit_reached']));
    expect(await balanceOf('hurried')).toBe('20.00');
  });

  it('is counted: a user may have at most twenty at a time', async () => {
    await fund('busy');
    for (let i = 0; i < 20; i += 1) await asked('busy', '1.00');
    expect((await ask('busy', '1.00')).body).toMatchObject({ code: 'payout.limit_reached' });
  });

  it('is held while the wallet is frozen or the channel is paused', async () => {
    await fund('held');
    const id = await asked('held', '5.00');
    await rain.operator().post('/v1/wallets/held/freeze');
    expect(await waiting()).not.toContain(id);
    expect((await ask('held', '5.00')).body.code).toBe('wallet.frozen');
    await rain.operator().post('/v1/wallets/held/unfreeze');
    expect(await waiting()).toContain(id);
    const channel = `/v1/payout-channels/${channelId}`;
    expect((await rain.operator().patch(channel, { paused: true })).body).toMatchObject({
      paused: true,
      profile,
    });
    expect([await waiting(), (await ask('held', '5.00')).body.code]).toEqual([[], 'payout_channel.paused']);
    await rain.operator().patch(channel, { paused: false });
    expect(await waiting()).toContain(id);
  });

  it('that its channel has read is refused only on later evidence, and waits again if no person approves', async () => {
    await fund('evident');
    const id = await asked('evident', '5.00');
    expect(await waiting()).toContain(id);
    const resolve = (more: object) =>
      rain
        .as('finance')
        .post(`/v1/payouts/${id}/resolve`, {
          outcome: 'refused',
          evidence: 'The shop has no such payment.',
          ...more,
        });
    expect(await resolve({})).toMatchObject({ status: 409, body: { code: 'payout.sent_again' } });
    const { lastSentAt } = (await rain.as('finance').get(`/v1/payouts/${id}`)).body;
    expect(await resolve({ lastSentAt })).toMatchObject({ body: { status: 'pending' } });
    expect(await waiting()).not.toContain(id);
    await rain.sql(`update approval set expires_at = now() - interval '2 minutes' where source_id = $1`, [
      id,
    ]);
    expect(await waiting()).toContain(id);
  });

  it('does not count against the budget of a sponsor, which is for activities', async () => {
    await fund('thrifty');
    await rain.operator().patch('/v1/wallets/thrifty/budget', { perDay: '0.50' });
    expect((await ask('thrifty', '5.00')).status).toBe(201);
    await rain.operator().delete('/v1/wallets/thrifty/budget');
  });

  it('keeps its channel until it has ended, and may still be returned after that', async () => {
    const channel = (await createChannel({ name: 'Short-lived' })).body.id as string;
    await fund('last');
    const id = await asked('last', '5.00', channel);
    const remove = () => rain.operator().delete(`/v1/payout-channels/${channel}`);
    expect((await remove()).body.code).toBe('payout_channel.in_use');
    await report([{ id, outcome: 'paid' }], channel);
    expect((await remove()).status).toBe(204);
    expect((await ask('last', '5.00', channel)).body.code).toBe('payout_channel.not_found');
    expect(await report([{ id, outcome: 'returned' }], channel)).toMatchObject([{ result: 'applied' }]);
    expect(await balanceOf('last')).toBe('100.00');
  });

  it('needs a channel whose limits make sense', async () => {
    const fieldsOf = async (wrong: object) =>
      (await createChannel({ profile: { ...profile, ...wrong } })).body.errors.map(
        ({ field }: { field: string }) => field,
      );
    expect(await fieldsOf({ largest: '0.99', perUserPerDay: '0.50' })).toEqual([
      'profile.largest',
      'profile.perUserPerDay',
    ]);
    for (const wrong of [
      { smallest: '0' },
      { smallest: undefined },
      { timeZone: 'Mars/Base' },
      { timeZone: '+08:00' },
    ])
      expect(await fieldsOf(wrong)).toEqual([`profile.${Object.keys(wrong)[0]}`]);
    const channel = `/v1/payout-channels/${channelId}`;
    for (const wrong of [[], [profile], null, 'UTC'])
      for (const answer of [
        await createChannel({ profile: wrong }),
        await rain.operator().patch(channel, { profile: wrong }),
      ])
        expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'profile' }] } });
    const nested = await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes: [[]] });
    expect(nested).toMatchObject({ status: 400, body: { errors: [{ field: 'outcomes' }] } });
  });

  it('keeps each field of its channel that a change omits', async () => {
    const limits = { ...profile, perDay: '900.00', largest: '50.00' };
    const { id } = (await createChannel({ name: 'Two at work', profile: limits })).body;
    const change = (changes: object) =>
      rain.operator().patch(`/v1/payout-channels/${id}`, { profile: changes });
    await Promise.all([change({ perDay: '100.00' }), change({ gatherSeconds: 60, largest: null })]);
    const changed = await change({});
    expect(changed.body.profile).toMatchObject({
      ...profile,
      perDay: '100.00',
      largest: null,
      gatherSeconds: 60,
    });
    for (const wrong of [{ smallest: null }, { timeZone: null }, { perSecond: null }, { perDay: '0.50' }])
      expect(await change(wrong)).toMatchObject({
        status: 400,
        body: { errors: [{ field: `profile.${Object.keys(wrong)[0]}` }] },
      });
  });

  it('in flight does not prevent its channel from being paused', async () => {
    const channel = (await createChannel({ name: 'Crowded' })).body.id as string;
    await fund('crowding');
    await rain.sql('begin');
    let underWay: Promise<Answer> | undefined;
    try {
      await rain.sql(`select from account where kind = 'outbound' and owner_id = $1 for update`, [channel]);
      underWay = ask('crowding', '5.00', channel);
      await waitFor(async () => (await rain.waitingForLocks()) === 1, { what: 'a payout under way' });
      const pause = await rain.operator().patch(`/v1/payout-channels/${channel}`, { paused: true });
      expect(pause).toMatchObject({ status: 200, body: { paused: true } });
    } finally {
      await rain.sql('rollback');
    }
    expect((await underWay).status).toBe(201);
    expect((await ask('crowding', '5.00', channel)).body.code).toBe('payout_channel.paused');
  });

  it('is signed with a secret that only the creator of its channel sees, and with two during a rotation', async () => {
    const operator = rain.operator();
    const body = { name: 'Called', url: 'https://shop.example/hongbao', profile };
    const key = randomUUID();
    const [first, again] = [
      await operator.post('/v1/payout-channels', body, { key }),
      await operator.post('/v1/payout-channels', body, { key }),
    ];
    const { id, secret } = first.body;
    expect(first.body).toMatchObject({ url: body.url, secret: expect.stringMatching(/^whsec_.{44}$/) });
    expect(first.body.profile).toMatchObject({ perSecond: 50, quarantineSeconds: 120, perDay: null });
    expect(again.body).toEqual(first.body);

    const rotated = await operator.post(`/v1/payout-channels/${id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^whsec_.{44}$/) } });
    const kept = await rain.sql(
      `select secret, former_secret, former_secret_until > now() + interval '23 hours' as long from payout_channel where id = $1`,
      [id],
    );
    expect(kept).toEqual([{ secret: rotated.body.secret, former_secret: secret, long: true }]);
    const seen = JSON.stringify([
      (await operator.get('/v1/payout-channels')).body,
      (await operator.get(`/v1/audit-log?subject=payout-channel:${id}`)).body,
      await rain.sql('select * from idempotency_key'),
    ]);
    for (const one of [secret, rotated.body.secret]) expect(seen).not.toContain(one);

    const publicly = JSON.stringify((await rain.user('called').get('/v1/payout-channels')).body);
    expect([publicly.includes('Called'), publicly.includes('shop.example')]).toEqual([true, false]);
    await fund('called');
    await asked('called', '5.00', id);
    expect(await waiting(id)).toEqual([]);
  });

  it('needs a URL that may be called, or none', async () => {
    const fieldsOf = async (answer: Promise<Answer>) => (await answer).body.errors[0].field;
    expect(await fieldsOf(createChannel({ url: 'ftp://shop.example' }))).toBe('url');
    for (const behind of ['?tenant=1', '?', '#books'])
      expect(await fieldsOf(createChannel({ url: `https://shop.example/hongbao${behind}` }))).toBe('url');
    const channel = `/v1/payout-channels/${channelId}`;
    const url = 'https://shop.example/';
    expect(await fieldsOf(rain.operator().patch(channel, { url }))).toBe('url');
    expect((await rain.operator().post(`${channel}/rotate-secret`)).body.code).toBe(
      'payout_channel.not_called',
    );
    for (const wrong of [{ perSecond: 0 }, { inFlight: 1.5 }, { timeoutMs: 99 }, { keyLifetimeSeconds: 120 }])
      expect(await fieldsOf(createChannel({ url, profile: { ...profile, ...wrong } }))).toBe(
        `profile.${Object.keys(wrong)[0]}`,
      );
  });

  it.each(['unsent.after-reserve', 'unsent.before-commit'])(
    'is made from the credits of a rain, once, even if a worker is killed at %s',
    async (where) => {
      const name = `kill-${where.replaceAll('.', '-')}`;
      const channel = (await createChannel({ name, profile: { smallest: '0.01' } })).body.id as string;
      await rain.pauseWorker();
      const { program } = await rain.startAnother('worker.js', { FAILPOINTS: `${where}=kill@1` });
      const activityId = await rain.createActivity({ packetCount: 5, payout: { channelId: channel } });
      const users = Array.from({ length: 5 }, (_, i) => `${name}-${i}`);
      for (const user of users) await rain.tap(activityId, user);
      await program.ended;
      expect(await waiting(channel)).toEqual([]);
      rain.resumeWorker();
      await waitFor(async () => (await waiting(channel)).length === 5, { what: 'five payouts' });
      const ids = await waiting(channel);
      const amounts = await Promise.all(ids.map(async (id) => Number((await read(id)).amount)));
      expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(100);
      expect(await Promise.all(users.map(balanceOf))).toEqual(users.map(() => '0.00'));
      expect((await rain.operator().get(`/v1/activities/${activityId}`)).body.payout).toEqual({
        channelId: channel,
      });
      const template = (await rain.operator().get(`/v1/activities/${activityId}/template`)).body;
      expect(template.payout).toEqual({ channelId: channel });
    },
  );

  it('of a rain moves its credit, in the reconciliation, from kept to sent and to paid, and back if it is refused', async () => {
    const { id: channel } = (await createChannel({ name: 'Sums', profile: { smallest: '0.01' } })).body;
    const payout = { channelId: channel as string };
    const activityId = await rain.createActivity({
      packetCount: 3,
      totalAmount: '9.00',
      split: { kind: 'equal' },
      payout,
    });
    const credits = async () => (await rain.proof(activityId)).credits;
    const none = { amount: '0.00', claims: 0 };
    const one = { amount: '3.00', claims: 1 };
    expect(await credits()).toEqual({ kept: none, sent: none, paid: none });
    for (const user of ['sum-1', 'sum-2']) await rain.tap(activityId, user);
    await waitFor(async () => (await credits()).sent.claims === 2, { what: 'two payouts' });
    const [first, second] = await waiting(channel);
    await report([{ id: first, outcome: 'paid' }], channel);
    expect(await credits()).toEqual({ kept: none, sent: one, paid: one });
    await report([{ id: second, outcome: 'refused' }], channel);
    expect(await credits()).toEqual({ kept: one, sent: none, paid: one });
    expect(await rain.proof(activityId)).toMatchObject({
      phase: 'open',
      cancelled: false,
      closedAt: null,
      credited: '6.00',
      oldestPendingSeconds: null,
    });
    await rain.closeActivity(activityId);
    const { body: activity } = await rain.operator().get(`/v1/activities/${activityId}`);
    const { phase, closedAt } = activity;
    expect(await rain.proof(activityId)).toMatchObject({ phase, closedAt, cancelled: false });
  });

  it('is seen only by its user and by staff', async () => {
    await fund('private');
    const id = await asked('private', '1.00');
    for (const path of ['/v1/payouts', `/v1/payouts/${id}`, `/v1/payout-channels/${channelId}/waiting`])
      expect((await rain.user('nosy').get(path)).status).toBe(403);
    expect((await rain.user('nosy').get('/v1/me/payouts')).body.items).toEqual([]);
    const { items } = (await rain.as('support').get(`/v1/payouts?userId=private&channelId=${channelId}`))
      .body;
    expect(items).toMatchObject([{ id, userId: 'private' }]);
  });
});
