import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';
import { answer, WebhookReceiver } from '../harness/webhook-receiver';

describe('the overview for sponsors and staff', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const read = async (path: string, caller = rain.operator()): Promise<any> => {
    const { status, body } = await caller.get(path);
    expect({ path, status, body }).toMatchObject({ status: 200 });
    return body;
  };

  describe('the view of one rain', () => {
    let id: string;

    beforeAll(async () => {
      id = await rain.createActivity({ packetCount: 1, totalAmount: '5.00', sponsorId: 'sue' });
      for (const user of ['ann', 'ann', 'ben', 'cid']) await rain.tap(id, user);
      for (const user of ['cid', 'ben']) await rain.user(user).post(`/v1/activities/${id}/waitlist`);
    });

    it('shows its sponsor, and no other user, within moments how often people tapped and with what result', async () => {
      const seen = () => read(`/v1/activities/${id}/progress`);
      await waitFor(async () => (await seen()).taps.soldOut === 2, { what: 'the taps of all' });
      const { taps, ...others } = await seen();
      expect(taps).toMatchObject({
        won: 1,
        already: 1,
        reserved: 0,
        soldOut: 2,
        notOpen: 0,
        closed: 0,
        limit: 0,
      });
      expect(taps.milliseconds).toBeGreaterThan(0);
      expect(others).toMatchObject({ activityId: id, packetsLeft: 0, waiting: 2 });
      for (const [caller, status] of [
        ['sue', 200],
        ['ann', 404],
      ] as const)
        expect((await rain.user(caller).get(`/v1/activities/${id}/progress`)).status).toBe(status);
    });

    it('shows how long the oldest unpaid win has waited', async () => {
      const unpaid = await rain.createActivity({ packetCount: 1 });
      await rain.pauseWorker();
      await rain.tap(unpaid, 'dan');
      expect((await read(`/v1/activities/${unpaid}/progress`)).oldestUnpaidSeconds).toBeGreaterThanOrEqual(0);
      rain.resumeWorker();
      await rain.settled(unpaid);
      expect((await read(`/v1/activities/${unpaid}/progress`)).oldestUnpaidSeconds).toBeNull();
    });

    it('shows who is waiting, in the order of joining, page by page', async () => {
      const first = await read(`/v1/activities/${id}/waitlist?limit=1`);
      expect(first.items).toEqual([{ position: 1, userId: 'cid' }]);
      const rest = await read(`/v1/activities/${id}/waitlist?cursor=${first.nextCursor}`);
      expect(rest).toEqual({ items: [{ position: 2, userId: 'ben' }], nextCursor: null });
    });

    it('shows what the rain was created with, whatever has been added since', async () => {
      await rain.deposit('sue', '2.00');
      await rain.operator().post(`/v1/activities/${id}/top-ups`, { amount: '2.00', packetCount: 2 });
      expect(await read(`/v1/activities/${id}/template`)).toEqual({
        name: 'Rain',
        admission: 'open',
        showsBestLuck: false,
        sponsorId: 'sue',
        totalAmount: '5.00',
        packetCount: 1,
        split: { kind: 'random' },
      });
    });
  });

  it('shows pending work and corrections for all rains', async () => {
    const id = await rain.createActivity({ packetCount: 1 });
    await rain.redis.flushall();
    await waitFor(async () => (await rain.proof(id)).redis.status === 'open', {
      what: 'the rain in Redis again',
    });
    const loaded = async () => {
      const { corrections } = await read('/v1/overview', rain.as('support'));
      return (corrections as { what: string }[]).filter(({ what }) => what === 'rains-loaded');
    };
    await waitFor(async () => (await loaded()).length > 0, { what: 'the correction' });
    const [inPostgres] = await rain.sql<{ deadLetters: number; approvals: number }>(
      `select (select count(*) from dead_letter where status = 'open')::int as "deadLetters",
         (select count(*) from approval where status = 'pending' and expires_at > now())::int as approvals`,
    );
    const { journal, money } = await read('/v1/overview');
    expect(journal).toMatchObject({ entries: 0, quarantined: 0 });
    expect(money).toMatchObject({ unpaid: 0, ...inPostgres });
    expect((await rain.as('campaign').get('/v1/overview')).status).toBe(403);
  });

  it('shows the running activities by their totals, however many small ones are newer, and what opens next', async () => {
    const named = (name: string, totalAmount: string, opensInMs?: number) =>
      rain.createActivity({ name, totalAmount, packetCount: 1, opensInMs });
    const large = await named('the largest', '987.00');
    const small = await named('a small one', '0.02');
    const later = await named('later', '5.00', 3_000_000);
    const sooner = await named('sooner', '1.00', 2_000_000);
    const now = async () => read('/v1/overview/activities', rain.as('campaign'));
    const places = ({ running, next }: Record<string, { id: string }[]>) => ({
      running: running!.map(({ id }) => id).filter((id) => id === large || id === small),
      next: next!.map(({ id }) => id).filter((id) => id === later || id === sooner),
    });
    await waitFor(async () => places((await now()) as never).next.length === 2, { what: 'the next ones' });
    const view = await now();
    expect(places(view as never)).toEqual({ running: [large, small], next: [sooner, later] });
    expect(view.runningCount).toBeGreaterThanOrEqual((view.running as object[]).length);
    expect(view.running).toContainEqual(expect.objectContaining({ id: large, phase: 'open' }));
  });

  it('shows that a worker runs, and the state of Redis and the clocks', async () => {
    const system = async () => (await read('/v1/overview')).system as Record<string, unknown>;
    await waitFor(async () => typeof (await system()).workerSeenSecondsAgo === 'number', {
      what: 'a worker',
    });
    expect(await system()).toEqual({
      workerSeenSecondsAgo: expect.any(Number),
      memoryShare: expect.any(Number),
      takesWrites: true,
      clockLeadSeconds: expect.any(Number),
      clocksAgree: true,
    });
  });

  it('shows the jobs in the queue, the age of the log of claims, the taps refused by reason, and alerts of all processes', async () => {
    const id = await rain.createActivity({ packetCount: 1, admission: 'ticket' });
    await rain.tap(id, 'uninvited');
    const now = () => read('/v1/overview');
    const refusedFor = async (wanted: string) => {
      const { lastMinute } = (await now()).refusals as { lastMinute: { reason: string; count: number }[] };
      return lastMinute.find(({ reason }) => reason === wanted)?.count;
    };
    await waitFor(async () => (await refusedFor('no-ticket')) !== undefined, { what: 'the refusal' });
    const { queue, claimLog, refusals, alerts } = await now();
    const count = expect.any(Number) as number;
    expect(queue).toEqual({ waiting: count, active: count, delayed: count });
    expect(claimLog).toEqual({ behindSeconds: 0 });
    expect(refusals.ofAllProcesses).toBe(true);
    expect(alerts).toEqual({ firing: expect.any(Array), ofAllProcesses: true });
  });

  const createChannel = async (name: string) =>
    (await rain.operator().post('/v1/payout-channels', { name, profile: { smallest: '1.00' } })).body;

  it('shows what is leaving through each channel, and that a channel is paused', async () => {
    const [channel, other] = [await createChannel('Seen'), await createChannel('Another')];
    await rain.deposit('outgoing', '9.00');
    for (const [amount, { id: channelId }] of [
      ['2.50', channel],
      ['1.50', channel],
      ['1.00', other],
    ] as const)
      await rain.user('outgoing').post('/v1/me/payouts', { amount, channelId });
    await rain.operator().patch(`/v1/payout-channels/${channel.id}`, { paused: true });
    const standing = async () => {
      const outbound = (await read('/v1/overview')).outbound as { channelId: string; paused: boolean }[];
      return outbound.find(({ channelId }) => channelId === channel.id);
    };
    await waitFor(async () => (await standing())?.paused, { what: 'the paused channel' });
    expect(await standing()).toMatchObject({
      name: 'Seen',
      circuitOpen: false,
      heldByFinding: false,
      payouts: 2,
      amount: '4.00',
      currency: 'CNY',
      unsent: 0,
      findings: 0,
      oldestSeconds: expect.any(Number),
    });
  });

  it('shows which channels a finding stops', async () => {
    const [{ id: ours }, { id: other }] = [await createChannel('Doubted'), await createChannel('Innocent')];
    const isHeld = async () => {
      const standings = (await read('/v1/overview')).outbound as {
        channelId: string;
        heldByFinding: boolean;
      }[];
      return [ours, other].map((id) => standings.find(({ channelId }) => channelId === id)?.heldByFinding);
    };
    const becomes = (wanted: boolean[]) =>
      waitFor(async () => String(await isHeld()) === String(wanted), { what: `held: ${wanted.join()}` });
    const find = (kind: string) =>
      rain.sql(`insert into payout_finding (channel_id, kind, detail) values ($1, $2, '{}')`, [ours, kind]);
    await find('file-differs');
    await becomes([false, false]);
    await find('answer-differs');
    await becomes([true, false]);
    await find('calls-lost');
    await becomes([true, true]);
    await rain.sql(
      `update payout_finding set ended_at = now(), ended_by = 'op', resolution = 'A test.' where channel_id = $1`,
      [ours],
    );
    await becomes([false, false]);
    for (const id of [ours, other]) await rain.operator().delete(`/v1/payout-channels/${id}`);
  });

  it('shows the deliveries of a webhook, including test messages', async () => {
    const receiver = await WebhookReceiver.start();
    const { body: webhook } = await rain.operator().post('/v1/webhooks', { url: `${receiver.url}/trial` });
    const path = `/v1/webhooks/${webhook.id}`;
    receiver.let('/trial', answer(500));
    const sendTest = async () => {
      const { status, body } = await rain.operator().post(`${path}/tests`);
      expect(status).toBe(201);
      return body.messageId as string;
    };
    const deliveryOf = async (id: string) => {
      const { items } = (await read(`${path}/deliveries`)) as {
        items: { messageId: string; state: string }[];
      };
      return items.find(({ messageId }) => messageId === id);
    };
    const refused = await sendTest();
    await waitFor(async () => (await deliveryOf(refused))?.state === 'retrying', {
      what: 'the first attempt',
    });
    expect(await deliveryOf(refused)).toMatchObject({
      event: 'webhook.test',
      attempts: 1,
      lastError: 'answered 500',
    });
    receiver.let('/trial', answer(204));
    const taken = await sendTest();
    await waitFor(async () => (await deliveryOf(taken))?.state === 'delivered', { what: 'the delivery' });
    await rain.operator().delete(path);
    await receiver.stop();
    expect((await rain.operator().post('/v1/webhooks/999/tests')).status).toBe(404);
    expect((await rain.operator().get('/v1/webhooks/999/deliveries')).status).toBe(404);
  });
});
