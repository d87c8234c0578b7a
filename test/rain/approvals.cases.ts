import type { Role } from '../../libs/roles';
import { type Answer, Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { brokenIn } from '../harness/invariants';
import { rain } from '../harness/shared-installation';
import { letterOf, wonByRobot } from './robots';

const LIMIT = '100.00';
const ABOVE = '100.01';

const onePacket = (sponsorId: string, totalAmount: string) =>
  planOf({ sponsorId, totalAmount, packetCount: 1 });

const declareVoid = (caller: Caller | undefined, letterId: string, status?: string) =>
  caller!.post(`/v1/dead-letters/${letterId}/void`, { reason: 'The account belongs to a robot.', status });

describe('in an installation with a limit for one person,', () => {
  let url: string;

  beforeAll(async () => {
    ({ url } = await rain.startAnother('main.js', { APPROVAL_ABOVE: LIMIT }));
  });

  const as = (role: Role, sub: string) => new Caller(url, rain.tokenOf(sub, role));

  describe('deposits and voids beyond the limit', () => {
    let [ann, bob, cid]: Caller[] = [];

    beforeAll(() => {
      [ann, bob, cid] = [as('finance', 'ann'), as('operator', 'bob'), as('finance', 'cid')];
    });

    const deposit = (owner: string, amount = ABOVE, key?: string) =>
      ann!.post(`/v1/wallets/${owner}/deposits`, { amount, reference: 'slip 7' }, { key });
    const asked = async (answer: Promise<Answer>): Promise<string> => {
      const { status, body } = await answer;
      expect([status, body.status]).toEqual([202, 'pending']);
      return body.id as string;
    };
    const decide = (caller: Caller | undefined, id: string, decision = 'approve', key?: string) =>
      caller!.post(`/v1/approvals/${id}/${decision}`, undefined, { key });
    const approvalOf = async (id: string) => (await ann!.get(`/v1/approvals/${id}`)).body;
    const balanceOf = async (owner: string) => (await ann!.get(`/v1/wallets/${owner}`)).body.balance;
    const depositsOf = async (owner: string) =>
      (await ann!.get(`/v1/wallets/${owner}/entries?kind=deposit`)).body.items as { transferId: string }[];
    it('are amounts above the limit; the limit itself needs no approval', async () => {
      expect((await deposit('at-the-limit', LIMIT)).status).toBe(201);
      await asked(deposit('at-the-limit', ABOVE));
      expect(await balanceOf('at-the-limit')).toBe(LIMIT);
    });

    it('move no money until another person approves them, and then exactly once and on record', async () => {
      const first = await deposit('large', ABOVE, 'asked-for-once');
      const id = first.body.id as string;
      expect(first).toMatchObject({
        status: 202,
        body: {
          id,
          status: 'pending',
          action: 'wallet.deposit',
          subject: 'wallet:large',
          amount: ABOVE,
          terms: { reference: 'slip 7' },
          askedBy: 'ann',
          decidedBy: null,
          decidedAt: null,
        },
      });
      expect([await balanceOf('large'), (await depositsOf('large')).length]).toEqual(['0.00', 0]);

      const approved = await decide(bob, id, 'approve', 'approved-once');
      expect(approved).toMatchObject({ status: 200, body: { id, status: 'approved', decidedBy: 'bob' } });
      expect(await balanceOf('large')).toBe(ABOVE);
      const [entry, ...more] = await depositsOf('large');
      expect([entry, more]).toMatchObject([{ amount: ABOVE, reference: 'slip 7' }, []]);

      const again = await decide(bob, id, 'approve', 'approved-once');
      expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([approved.body, 'true']);
      const repeated = await deposit('large', ABOVE, 'asked-for-once');
      expect([repeated.status, repeated.body]).toEqual([202, first.body]);
      expect((await decide(cid, id)).body.code).toBe('approval.not_pending');
      expect([await balanceOf('large'), await approvalOf(id)]).toEqual([ABOVE, approved.body]);

      const deeds = async (subject: string) =>
        (await rain.as('support').get(`/v1/audit-log?subject=${subject}`)).body.items;
      expect(await deeds(`approval:${id}`)).toMatchObject([
        {
          action: 'approval.approve',
          actorId: 'bob',
          before: { status: 'pending' },
          after: { status: 'approved' },
          detail: { action: 'wallet.deposit', askedBy: 'ann', transferId: entry!.transferId },
        },
        { action: 'approval.ask', actorId: 'ann', detail: { subject: 'wallet:large', amount: ABOVE } },
      ]);
      expect(await deeds('wallet:large')).toMatchObject([{ action: 'wallet.deposit', actorId: 'bob' }]);
    });

    it('are not decided by the person who asked, whatever their role', async () => {
      const id = await asked(deposit('own'));
      for (const caller of [ann, as('operator', 'ann')])
        for (const decision of ['approve', 'reject'])
          expect(await decide(caller, id, decision)).toMatchObject({
            status: 403,
            body: { code: 'approval.own' },
          });
      expect([await balanceOf('own'), (await approvalOf(id)).status]).toEqual(['0.00', 'pending']);
    });

    it('are never carried out once they are rejected', async () => {
      const id = await asked(deposit('refused'));
      expect((await decide(bob, id, 'reject')).body).toMatchObject({ status: 'rejected', decidedBy: 'bob' });
      for (const decision of ['approve', 'reject'])
        expect((await decide(cid, id, decision)).body.code).toBe('approval.not_pending');
      expect(await balanceOf('refused')).toBe('0.00');
    });

    it('are decided once if many people approve and reject at the same moment', async () => {
      const id = await asked(deposit('torn'));
      const crowd = Array.from({ length: 8 }, (_, i) => as('finance', `hasty-${i}`));
      const answers = await Promise.all(crowd.map((one, i) => decide(one, id, i % 2 ? 'reject' : 'approve')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
      const { status } = await approvalOf(id);
      expect(answers.find((answer) => answer.status === 200)!.body.status).toBe(status);
      expect(await balanceOf('torn')).toBe(status === 'approved' ? ABOVE : '0.00');
    });

    it('stay pending if they cannot be carried out yet, for example while a wallet is frozen', async () => {
      const id = await asked(deposit('chilly'));
      await ann!.post('/v1/wallets/chilly/freeze');
      expect(await decide(bob, id)).toMatchObject({ status: 422, body: { code: 'wallet.frozen' } });
      expect((await approvalOf(id)).status).toBe('pending');
      await ann!.post('/v1/wallets/chilly/unfreeze');
      expect((await decide(bob, id)).body.status).toBe('approved');
      expect(await balanceOf('chilly')).toBe(ABOVE);
    });

    it('can be decided until they expire, and never after that', async () => {
      const id = await asked(deposit('expired-late'));
      await rain.sql(`update approval set expires_at = now() where id = $1`, [id]);
      for (const decision of ['approve', 'reject'])
        expect((await decide(bob, id, decision)).body.code).toBe('approval.not_pending');
      const idsOf = async (status: string) =>
        (await bob!.get(`/v1/approvals?status=${status}`)).body.items.map((item: { id: string }) => item.id);
      expect([await idsOf('expired'), (await idsOf('pending')).includes(id)]).toEqual([[id], false]);
      expect(await balanceOf('expired-late')).toBe('0.00');
    });

    it('end a payout as refused if no person approves it in time', async () => {
      await rain.deposit('hasty', ABOVE);
      const profile = { smallest: '1.00' };
      const { id: channelId } = (await rain.operator().post('/v1/payout-channels', { name: 'Shop', profile }))
        .body;
      const hasty = new Caller(url, rain.tokenOf('hasty'));
      const { body: payout } = await hasty.post('/v1/me/payouts', { amount: ABOVE, channelId });
      expect(payout.state).toBe('review');
      await rain.sql(`update approval set expires_at = now() where source_id = $1`, [payout.id]);
      const read = async () => (await rain.as('support').get(`/v1/payouts/${payout.id}`)).body;
      await waitFor(async () => (await read()).state === 'refused', { what: 'the end of the payout' });
      expect([(await read()).code, await balanceOf('hasty')]).toEqual(['review-expired', ABOVE]);
    });

    it('may be approved after the Idempotency-Key of the request has been forgotten, and the books still agree', async () => {
      const id = await asked(deposit('patient', ABOVE, 'soon-forgotten'));
      await rain.sql(`delete from idempotency_key where key = 'soon-forgotten'`);
      expect((await decide(bob, id)).status).toBe(200);
      expect(await brokenIn(rain)).toEqual([]);
    });

    it('are reversed by any two people, even through another program than the one that was asked', async () => {
      const id = await asked(deposit('taken-back'));
      await decide(bob, id);
      const [{ transferId }] = (await depositsOf('taken-back')) as [{ transferId: string }];
      const path = `/v1/deposits/${transferId}/reverse`;
      const reversal = await asked(rain.as('finance', 'ann').post(path, { reason: 'Not this wallet.' }));
      expect((await decide(bob, reversal)).status).toBe(200);
      expect(await balanceOf('taken-back')).toBe('0.00');
    });

    it('leave a claim unchanged until another person approves the void; then its packet can be won again', async () => {
      const { activityId, letterId } = await wonByRobot('hasty-robot-1', '150.00');
      const answer = await declareVoid(ann, letterId);
      const id = await asked(Promise.resolve(answer));
      expect(answer.body).toMatchObject({
        action: 'dead-letter.void',
        subject: `dead-letter:${letterId}`,
        amount: '150.00',
        terms: {
          activityId,
          userId: 'hasty-robot-1',
          status: 'open',
          reason: 'The account belongs to a robot.',
        },
      });
      expect(await letterOf(activityId)).toBe(letterId);
      expect((await decide(ann, id)).body.code).toBe('approval.own');
      expect((await decide(cid, id)).body.status).toBe('approved');
      expect((await rain.tap(activityId, 'eve')).body).toMatchObject({ code: '0', amount: '150.00' });
      await rain.settled(activityId);
      expect(await rain.proof(activityId)).toMatchObject({
        verdict: 'balanced',
        void: '150.00',
        credited: '150.00',
        claims: { void: 1, credited: 1 },
      });
    });

    it('are not carried out for a dead letter that has since been closed, by hand or by another approval', async () => {
      const { letterId } = await wonByRobot('hasty-robot-2', '150.00');
      const [first, second] = [
        await asked(declareVoid(ann, letterId)),
        await asked(declareVoid(ann, letterId)),
      ];
      await ann!.post(`/v1/dead-letters/${letterId}/resolve`, { reason: 'paid by hand' });
      expect(await decide(bob, first)).toMatchObject({ status: 409, body: { code: 'dead_letter.not_open' } });
      expect((await approvalOf(first)).status).toBe('pending');

      expect((await declareVoid(ann, letterId)).body.code).toBe('dead_letter.not_open');
      const third = await asked(declareVoid(ann, letterId, 'resolved'));
      expect((await decide(bob, third)).status).toBe(200);
      expect((await decide(bob, second)).body.code).toBe('dead_letter.not_open');
      expect((await decide(bob, second, 'reject')).status).toBe(200);
    });

    it('have approvals that are listed page by page, and an unknown id is answered 404', async () => {
      for (const path of ['', '/approve', '/reject']) {
        const method =
          path === '' ? bob!.get('/v1/approvals/999999') : bob!.post(`/v1/approvals/999999${path}`);
        expect(await method).toMatchObject({ status: 404, body: { code: 'approval.not_found' } });
      }
      const page = (await bob!.get('/v1/approvals?status=approved&limit=1')).body;
      const next = (await bob!.get(`/v1/approvals?status=approved&limit=1&cursor=${page.nextCursor}`)).body;
      expect(Number(page.items[0].id)).toBeGreaterThan(Number(next.items[0].id));
    });

    it.each([
      [
        'the asker decides',
        `update approval set status = 'approved', decided_by = asked_by, decided_at = now()`,
        'approval_by_another',
      ],
      [
        'nobody has signed',
        `update approval set status = 'approved', decided_at = now()`,
        'approval_decision_signed',
      ],
      [
        'nobody knows when',
        `update approval set status = 'rejected', decided_by = 'x'`,
        'approval_decision_dated',
      ],
      [
        'it was decided before',
        `update approval set decided_by = 'x' where status = 'approved'`,
        'never changed or deleted',
      ],
      [
        'its time was over',
        `update approval set status = 'approved', decided_by = 'x', decided_at = expires_at`,
        'approval_decided_in_time',
      ],
      ['it is removed', `delete from approval`, 'never changed or deleted'],
    ])('cannot be changed in the table itself so that %s, even by its owner', async (_, sql, refusal) => {
      const which =
        sql.includes('where') || sql.startsWith('delete')
          ? ''
          : ` where status = 'pending' and expires_at > now()`;
      await expect(rain.sql(sql + which)).rejects.toThrow(refusal);
    });
  });

  describe('creations and top-ups by staff beyond the limit', () => {
    let [kim, lea]: Caller[] = [];

    beforeAll(async () => {
      [kim, lea] = [as('campaign', 'kim'), as('finance', 'lea')];
      for (const sponsor of ['large-shop', 'large-bank'])
        for (let i = 0; i < 4; i++) await lea.post(`/v1/wallets/${sponsor}/deposits`, { amount: LIMIT });
    });

    const create = (caller: Caller, sponsorId: string, amount: string) =>
      caller.post('/v1/activities', onePacket(sponsorId, amount));
    const topUp = (activityId: string, amount: string) =>
      kim!.post(`/v1/activities/${activityId}/top-ups`, { amount, packetCount: 1 });
    const approve = (id: string) => lea!.post(`/v1/approvals/${id}/approve`);
    const balanceOf = async (owner: string) => (await lea!.get(`/v1/wallets/${owner}`)).body.balance;
    const activitiesOf = async (sponsor: string) =>
      (await kim!.get(`/v1/activities?sponsorId=${sponsor}`)).body.items as { id: string }[];

    it('create nothing until another person approves them, and then exactly once and on record', async () => {
      const plan = onePacket('large-shop', ABOVE);
      const ask = () => kim!.post('/v1/activities', plan, { key: 'a-large-rain' });
      const first = await ask();
      const { id } = first.body;
      expect([first.status, first.headers.get('location')]).toEqual([202, null]);
      expect(first.body).toMatchObject({
        status: 'pending',
        action: 'activity.create',
        subject: 'wallet:large-shop',
        amount: ABOVE,
        askedBy: 'kim',
        resultId: null,
        terms: { name: 'Rain', sponsorId: 'large-shop', packetCount: '1', split: '{"kind":"random"}' },
      });
      expect([await balanceOf('large-shop'), await activitiesOf('large-shop')]).toEqual(['400.00', []]);

      const approved = await approve(id);
      const activityId = approved.body.resultId as string;
      expect([approved.status, (await activitiesOf('large-shop')).map((one) => one.id)]).toEqual([
        200,
        [activityId],
      ]);
      expect(await balanceOf('large-shop')).toBe('299.99');
      expect((await approve(id)).body.code).toBe('approval.not_pending');
      expect((await ask()).body).toEqual(first.body);
      const won = await rain.tap(activityId, 'win');
      expect(won.body).toMatchObject({ code: '0', amount: ABOVE });
      const { items } = (await lea!.get(`/v1/audit-log?subject=activity:${activityId}`)).body;
      expect(items).toMatchObject([{ action: 'activity.create', actorId: 'lea' }]);
    });

    it('are amounts above the limit, by staff only: users spend their own money', async () => {
      expect((await create(kim!, 'large-bank', LIMIT)).status).toBe(201);
      expect((await create(as('operator', 'gil'), 'large-bank', ABOVE)).status).toBe(202);
      const own = await create(as('user', 'large-bank'), 'large-bank', ABOVE);
      expect(own.status).toBe(201);
      const more = await as('user', 'large-bank').post(`/v1/activities/${own.body.id}/top-ups`, {
        amount: ABOVE,
        packetCount: 1,
      });
      expect(more.status).toBe(201);
    });

    it('are shown to the staff who asked for them, with the reason for a rejection, and never with those of others', async () => {
      const [ned, olu] = [as('campaign', 'ned'), as('campaign', 'olu')];
      const ids: string[] = [];
      for (const amount of ['100.01', '100.02', '100.03'])
        ids.push((await create(ned, 'large-shop', amount)).body.id as string);
      await create(olu, 'large-shop', '100.04');
      const reason = 'The campaign is over.';
      const rejected = await lea!.post(`/v1/approvals/${ids[0]}/reject`, { reason });
      expect(rejected).toMatchObject({ status: 200, body: { status: 'rejected', reason } });
      const plain = await lea!.post(`/v1/approvals/${ids[1]}/reject`);
      expect(plain.body).toEqual(
        expect.objectContaining({ status: 'rejected', decidedBy: 'lea', resultId: null }),
      );
      expect(Object.keys(plain.body as object)).not.toContain('reason');

      const read = async (caller: Caller, query = '') =>
        (await caller.get(`/v1/me/approvals${query}`)).body as { items: object[]; nextCursor: string | null };
      expect((await read(ned)).items).toMatchObject([
        { id: ids[2], status: 'pending' },
        plain.body,
        rejected.body,
      ]);
      expect((await read(ned, '?status=pending')).items).toMatchObject([{ id: ids[2] }]);
      const first = await read(ned, '?limit=1');
      const next = await read(ned, `?limit=1&cursor=${first.nextCursor}`);
      expect([...first.items, ...next.items]).toMatchObject([{ id: ids[2] }, { id: ids[1] }]);
      expect((await read(olu)).items).toMatchObject([{ askedBy: 'olu' }]);
      expect((await read(as('support', 'una'))).items).toEqual([]);
      for (const path of ['/v1/approvals', `/v1/approvals/${ids[0]}`])
        expect(await ned.get(path)).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } });
      const { items } = (await lea!.get(`/v1/audit-log?subject=approval:${ids[0]}`)).body;
      expect(items[0]).toMatchObject({ action: 'approval.reject', detail: { askedBy: 'ned', reason } });
    });

    it.each([{ reason: '' }, { reason: 'no' }, { reason: 7 }, { reason: null }, { why: 'Because.' }])(
      'stay pending if the reason for a rejection is not text: %j',
      async (body) => {
        const { id } = (await create(kim!, 'large-shop', ABOVE)).body;
        const refused = await lea!.post(`/v1/approvals/${id}/reject`, body);
        expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: Object.keys(body)[0] }] } });
        expect((await lea!.get(`/v1/approvals/${id}`)).body.status).toBe('pending');
      },
    );

    it('add no packets to a rain until another person approves them', async () => {
      const { id } = (await create(kim!, 'large-shop', '1.00')).body;
      expect((await topUp(id, LIMIT)).status).toBe(201);
      const asked = await topUp(id, ABOVE);
      expect(asked).toMatchObject({
        status: 202,
        body: { action: 'activity.top-up', subject: `activity:${id}`, terms: { packetCount: '1' } },
      });
      const before = (await kim!.get(`/v1/activities/${id}`)).body;
      expect((await approve(asked.body.id)).body).toMatchObject({
        status: 'approved',
        resultId: expect.stringMatching(/^\d+$/),
      });
      const after = (await kim!.get(`/v1/activities/${id}`)).body;
      expect([before, after]).toMatchObject([
        { totalAmount: '101.00', packetCount: 2 },
        { totalAmount: '201.01', packetCount: 3 },
      ]);
    });

    it('stay pending while they cannot be carried out, and are not requested with invalid terms', async () => {
      const asked = await create(kim!, 'poor-shop', ABOVE);
      expect((await approve(asked.body.id)).body.code).toBe('wallet.insufficient_funds');
      expect((await lea!.get(`/v1/approvals/${asked.body.id}`)).body.status).toBe('pending');
      const late = { ...onePacket('large-shop', ABOVE), closesAt: new Date(0).toISOString() };
      expect((await kim!.post('/v1/activities', late)).body.errors).toMatchObject([{ field: 'closesAt' }]);
      expect((await topUp('999999', ABOVE)).body.code).toBe('activity.not_found');
    });

    it('cannot be approved by an earlier version, which would take them for deposits', async () => {
      const { id } = (await create(kim!, 'large-shop', ABOVE)).body;
      const asBefore = `update approval set status = 'approved', decided_by = 'x', decided_at = now() where id = $1`;
      await expect(rain.sql(asBefore, [id])).rejects.toThrow('approval_result_named');
    });
  });
});

describe('the sum that one person deposits and declares void alone', () => {
  const DAILY = '150.00';
  let url: string;

  beforeAll(async () => {
    ({ url } = await rain.startAnother('main.js', { APPROVAL_ABOVE: LIMIT, APPROVAL_ABOVE_DAILY: DAILY }));
  });

  const staff = (sub: string, role: Role = 'finance') => new Caller(url, rain.tokenOf(sub, role));

  const deposit = (caller: Caller, amount: string, owner = 'daily-1', key?: string) =>
    caller.post(`/v1/wallets/${owner}/deposits`, { amount }, { key });
  const statusOf = async (...request: Parameters<typeof deposit>) => (await deposit(...request)).status;

  it('is limited per day: any excess waits for another person, and does not count for the approver', async () => {
    const [ina, bo] = [staff('ina'), staff('bo')];
    for (const amount of ['100.00', '50.00']) expect(await statusOf(ina, amount)).toBe(201);
    const { status, body } = await deposit(ina, '0.01');
    expect([status, body.status]).toEqual([202, 'pending']);
    expect((await bo.post(`/v1/approvals/${body.id}/approve`)).body.status).toBe('approved');
    expect(await statusOf(staff('ina', 'operator'), '0.01', 'daily-2')).toBe(202);
    for (const amount of ['100.00', '50.00']) expect(await statusOf(bo, amount)).toBe(201);
    expect((await bo.get('/v1/wallets/daily-1')).body.balance).toBe('300.01');
  });

  it('does not count a request that was repeated or refused, or waits for approval', async () => {
    const cyd = staff('cyd');
    for (let i = 0; i < 3; i++) expect(await statusOf(cyd, LIMIT, 'daily-3', 'the-same-key')).toBe(201);
    expect(await statusOf(cyd, ABOVE)).toBe(202);
    await cyd.post('/v1/wallets/icicle/freeze');
    expect(await statusOf(cyd, '50.00', 'icicle')).toBe(422);
    expect(await statusOf(cyd, '50.00')).toBe(201);
  });

  it('is correct if many requests arrive at the same moment', async () => {
    const dan = staff('dan');
    const owners = Array.from({ length: 6 }, (_, i) => `many-${i}`);
    const answered = async (owner: string) => {
      for (;;) {
        const status = await statusOf(dan, '50.00', owner, `key-of-${owner}`);
        if (status !== 503) return status;
      }
    };
    const statuses = await Promise.all(owners.map(answered));
    expect(statuses.sort()).toEqual([...Array<number>(3).fill(201), ...Array<number>(3).fill(202)]);
  });

  it('is not exceeded while another deed of that person takes long: they are answered 503, and try again', async () => {
    await deposit(staff('kit'), LIMIT, 'lev');
    const channel = await staff('kit', 'operator').post('/v1/payout-channels', {
      name: 'Shop balance',
      profile: { smallest: '0.01' },
    });
    const ask = () =>
      new Caller(url, rain.tokenOf('lev')).post('/v1/me/payouts', {
        amount: '1.00',
        channelId: channel.body.id,
      });
    const busy = { status: 503, body: { code: 'busy' } };
    await rain.whileLocked(`select pg_advisory_xact_lock(hashtextextended('solo:lev', 0))`, async () => {
      expect(await deposit(staff('lev'), '1.00')).toMatchObject(busy);
      expect(await ask()).toMatchObject(busy);
    });
    const { status, body } = await ask();
    expect(status).toBe(201);
    const outcomes = [{ id: body.id, outcome: 'refused' }];
    await rain.channel(channel.body.id).post('/v1/payouts/outcomes', { outcomes });
    await staff('kit', 'operator').delete(`/v1/payout-channels/${channel.body.id}`);
  });

  it('forgets deposits after 24 hours, and not earlier', async () => {
    const doneBy = (person: string, ago: string) =>
      rain.sql(
        `insert into solo_deed (done_by, amount_minor, done_at) values ($1, 15000, now() - $2::interval)`,
        [person, ago],
      );
    await doneBy('eve', '24 hours');
    await doneBy('fay', '23 hours 55 minutes');
    expect(await statusOf(staff('eve'), LIMIT)).toBe(201);
    expect(await statusOf(staff('fay'), '0.01')).toBe(202);
  });

  it('counts creations and top-ups by staff', async () => {
    await deposit(staff('iva'), LIMIT, 'spender');
    const max = staff('max', 'campaign');
    const created = await max.post('/v1/activities', onePacket('spender', '90.00'));
    const topUp = (amount: string) =>
      max.post(`/v1/activities/${created.body.id}/top-ups`, { amount, packetCount: 1 });
    expect([created.status, (await topUp('5.00')).status]).toEqual([201, 201]);
    expect((await topUp('60.00')).status).toBe(202);
    expect((await max.post('/v1/activities', onePacket('spender', '60.00'))).status).toBe(202);
  });

  it('counts deposits and voids together', async () => {
    const [gus, hal] = [staff('gus'), staff('hal')];
    const [first, second] = [
      await wonByRobot('hasty-robot-3', '80.00'),
      await wonByRobot('hasty-robot-4', '80.00'),
    ];
    expect(await statusOf(gus, '80.00')).toBe(201);
    expect((await declareVoid(gus, first.letterId)).status).toBe(202);
    expect((await declareVoid(hal, first.letterId)).status).toBe(200);
    expect((await declareVoid(hal, second.letterId)).status).toBe(202);
    expect(await statusOf(hal, '80.00')).toBe(202);
  });
});
