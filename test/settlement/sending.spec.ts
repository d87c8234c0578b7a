import { verifySignature } from '../../libs/client';
import { waitFor } from '../harness/engines';
import { echo, type Payment, PayoutReceiver, reply } from '../harness/payout-receiver';
import { rain, shareInstallation } from '../harness/shared-installation';

shareInstallation({ WEBHOOK_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_USER_PER_SECOND: '10000' });

const FAST = { smallest: '0.01', quarantineSeconds: 1, keyLifetimeSeconds: 3_600, timeoutMs: 2_000 };

describe('a payout through a channel that is called', () => {
  let receiver: PayoutReceiver;
  let channelId: string;
  let secret: string;

  const createChannel = async (profile: object = {}, url = receiver.url) =>
    (
      await rain
        .operator()
        .post('/v1/payout-channels', { name: 'Shop', url, profile: { ...FAST, ...profile } })
    ).body as { id: string; secret: string };

  beforeAll(async () => {
    receiver = await PayoutReceiver.start();
    ({ id: channelId, secret } = await createChannel());
  });

  afterAll(() => receiver.stop());

  const ask = async (user: string, amount = '5.00', channel = channelId): Promise<string> => {
    await rain.operator().post(`/v1/wallets/${user}/deposits`, { amount: '10.00' });
    const { status, body } = await rain.user(user).post('/v1/me/payouts', { amount, channelId: channel });
    expect({ status, ...body }).toMatchObject({ status: 201 });
    return body.id as string;
  };
  const read = async (id: string) => (await rain.as('support').get(`/v1/payouts/${id}`)).body;
  const stateIs = async (id: string, state: string) => {
    await waitFor(async () => (await read(id)).state === state, { what: `payout ${id} to be ${state}` });
    return read(id);
  };
  const balanceOf = async (user: string) => (await rain.user(user).get('/v1/me/wallet')).body.balance;
  const endFindings = async (payoutId: string) => {
    const { items } = (await rain.as('finance').get('/v1/payout-findings')).body;
    const ours = items.filter((one: Payment & { payoutId: string }) => one.payoutId === payoutId);
    for (const { id } of ours)
      await rain.as('finance').post(`/v1/payout-findings/${id}/end`, { resolution: 'A test.' });
    return ours.map(({ kind }: { kind: string }) => kind);
  };

  it('is sent once, signed, and paid', async () => {
    const id = await ask('paid', '7.10');
    expect(await stateIs(id, 'paid')).toMatchObject({
      externalId: `T-${id}a1`,
      steps: [
        { state: 'reserved' },
        { state: 'sending', detail: { payoutId: `${id}a1` } },
        { state: 'paid' },
      ],
    });
    const calls = receiver.seen.filter(({ payoutId }) => payoutId === `${id}a1`);
    expect(calls).toHaveLength(1);
    const { headers, text } = calls[0]!;
    expect(JSON.parse(text)).toMatchObject({
      userId: 'paid',
      amount: '7.10',
      amountMinor: '710',
      currency: 'CNY',
    });
    await expect(verifySignature(headers, text, secret)).resolves.toBeUndefined();
    expect([receiver.paidTo('paid'), await balanceOf('paid')]).toEqual([['7.10'], '2.90']);
  });

  it('is signed with both secrets of its channel after a rotation', async () => {
    const other = await createChannel();
    const { body } = await rain.operator().post(`/v1/payout-channels/${other.id}/rotate-secret`);
    const id = await ask('rotated', '5.00', other.id);
    await stateIs(id, 'paid');
    const { headers, text } = receiver.seen.find(({ payoutId }) => payoutId === `${id}a1`)!;
    for (const one of [other.secret, body.secret as string]) await verifySignature(headers, text, one);
    await expect(verifySignature(headers, text, secret)).rejects.toMatchObject({ reason: 'signature' });
  });

  it('comes back to the wallet when it is refused for a known reason', async () => {
    receiver.let('PUT refused', (response, payment) =>
      reply(response, 422, { ...echo(payment), state: 'refused', code: 'user-closed' }),
    );
    expect(await stateIs(await ask('refused'), 'refused')).toMatchObject({ code: 'user-closed' });
    expect(await balanceOf('refused')).toBe('10.00');
  });

  it('that was paid before the answer was lost is asked about, and not sent again', async () => {
    receiver.let('PUT cut', (response, payment) => {
      receiver.pay(payment);
      response.destroy();
    });
    const { steps } = await stateIs(await ask('cut'), 'paid');
    expect(steps.map(({ state }: { state: string }) => state)).toEqual([
      'reserved',
      'sending',
      'unknown',
      'paid',
    ]);
    expect([receiver.callsOf('cut'), receiver.paidTo('cut')]).toEqual([['PUT', 'GET'], ['5.00']]);
  });

  it('that is not found is sent again only after the second such answer, under the same id', async () => {
    receiver.let('PUT lost', (response, _, n) => (n === 1 ? void response.destroy() : false));
    await stateIs(await ask('lost'), 'paid');
    const calls = receiver.callsOf('lost');
    expect(calls.slice(0, 3)).toEqual(['PUT', 'GET', 'GET']);
    expect([calls.filter((method) => method === 'PUT').length, receiver.paidTo('lost')]).toEqual([
      2,
      ['5.00'],
    ]);
  });

  it('with an unlisted answer is asked about until its outcome is clear', async () => {
    receiver.let('PUT new-code', (response, payment) =>
      reply(response, 422, { ...echo(payment), state: 'refused', code: 'risk' }),
    );
    receiver.let('GET new-code', (response, payment, n) =>
      n === 1
        ? reply(response, 500, {})
        : reply(response, 422, { ...payment, state: 'refused', code: 'user-closed' }),
    );
    await stateIs(await ask('new-code'), 'refused');
    expect(receiver.callsOf('new-code')).toEqual(['PUT', 'GET', 'GET']);
  });

  it('is asked about at once if staff request it, and not paid again', async () => {
    const other = await createChannel({ quarantineSeconds: 120 });
    receiver.let('PUT late', (response, payment) => {
      receiver.pay(payment);
      response.destroy();
    });
    receiver.let('GET late', (response, _, n) => (n === 1 ? reply(response, 500, {}) : false));
    const id = await ask('late', '5.00', other.id);
    await waitFor(() => receiver.callsOf('late').includes('GET'), { what: 'the channel to be asked' });
    await waitFor(
      async () =>
        (
          await rain.sql(
            `update payout set due_at = now() + interval '14 minutes' where id = $1 and leased_until is null returning id`,
            [id],
          )
        ).length === 1,
      { what: 'the payout to wait' },
    );
    const retry = (sub: string) => rain.as('finance', sub).post(`/v1/payouts/${id}/retry`);
    expect((await retry('late')).body.code).toBe('payout.own');
    expect(await retry('ann')).toMatchObject({ status: 200, body: { id, state: 'unknown' } });
    await stateIs(id, 'paid');
    expect([receiver.callsOf('late'), receiver.paidTo('late')]).toEqual([['PUT', 'GET', 'GET'], ['5.00']]);
    expect((await retry('ann')).body.code).toBe('payout.not_open');
  });

  it('that was sent again after evidence against it was gathered is not returned, even if the evidence is handed in later', async () => {
    const { id: channel } = await createChannel();
    let found: 'unclear' | 'missing' | 'paid' = 'unclear';
    receiver.let('PUT resent', (response, payment, n) => {
      if (n > 1) {
        receiver.pay(payment);
        found = 'unclear';
      }
      response.destroy();
    });
    receiver.let('GET resent', (response) => found === 'unclear' && reply(response, 500, {}));
    const id = await ask('resent', '5.00', channel);
    await stateIs(id, 'unknown');
    const { lastSentAt } = await read(id);
    const body = { outcome: 'refused', evidence: 'The shop has not paid it.', lastSentAt };
    const resolve = (more = {}) =>
      rain.as('finance', 'ann').post(`/v1/payouts/${id}/resolve`, { ...body, ...more });
    const asked = await resolve();
    expect(asked.status).toBe(202);
    found = 'missing';
    await waitFor(() => receiver.paidTo('resent').length === 1, { what: 'the payment to be sent again' });
    await stateIs(id, 'unknown');
    const approve = () => rain.as('finance', 'bob').post(`/v1/approvals/${asked.body.id}/approve`);
    const isOld = { status: 409, body: { code: 'payout.sent_again' } };
    const answers = [await approve(), await resolve(), await resolve({ lastSentAt: undefined })];
    expect(answers).toMatchObject([isOld, isOld, isOld]);
    found = 'paid';
    await stateIs(id, 'paid');
    expect(await balanceOf('resent')).toBe('5.00');
  });

  it('that the channel has not accepted waits as Retry-After says, under the same id', async () => {
    const other = await createChannel();
    receiver.let('PUT full', (response, _, n) =>
      n === 1 ? reply(response, 429, {}, { 'retry-after': '1' }) : false,
    );
    const { steps, attempt } = await stateIs(await ask('full', '5.00', other.id), 'paid');
    expect(attempt).toBe(1);
    expect(steps.map(({ state }: { state: string }) => state)).toEqual([
      ...['reserved', 'sending', 'reserved', 'sending', 'paid'],
    ]);
  });

  it('that gets the answer to another call is asked about over a new connection, and is not a finding', async () => {
    const other = await createChannel();
    const sockets = new Set<unknown>();
    receiver.let('PUT mixed-up', (response, payment) => {
      sockets.add(response.socket);
      receiver.pay(payment);
      return reply(response, 200, { ...echo(payment), payoutId: '1a1', state: 'paid' });
    });
    receiver.let('GET mixed-up', (response) => {
      sockets.add(response.socket);
      return false;
    });
    const id = await ask('mixed-up', '5.00', other.id);
    await stateIs(id, 'paid');
    expect([receiver.callsOf('mixed-up'), receiver.paidTo('mixed-up')]).toEqual([['PUT', 'GET'], ['5.00']]);
    expect([sockets.size, await endFindings(id)]).toEqual([2, []]);
  });

  it('slows its channel down once if a burst of calls is refused', async () => {
    const other = await createChannel({ timeoutMs: 30_000 });
    const users = Array.from({ length: 5 }, (_, i) => `burst-${i}`);
    const refusals: (() => void)[] = [];
    for (const user of users)
      receiver.let(`PUT ${user}`, (response) => {
        refusals.push(() => reply(response, 429, {}, { 'retry-after': '3600' }));
        if (refusals.length === users.length) for (const refuse of refusals) refuse();
        return true;
      });
    const ids = await Promise.all(users.map((user) => ask(user, '1.00', other.id)));
    for (const id of ids)
      await waitFor(async () => (await read(id)).steps.length === 3, { what: `payout ${id} to be refused` });
    const query = 'select factor from payout_pace where channel_id = $1';
    const [pace] = await rain.sql<{ factor: number }>(query, [other.id]);
    expect(pace!.factor).toBeGreaterThanOrEqual(0.5);
  });

  it('whose answer names another amount is a finding, and nothing more is sent through the channel', async () => {
    const other = await createChannel();
    receiver.let('PUT lied-to', (response, payment) =>
      reply(response, 200, { ...echo(payment), amount: '50.00', state: 'paid' }),
    );
    receiver.let('GET lied-to', (response) => reply(response, 202, {}));
    const id = await ask('lied-to', '5.00', other.id);
    await stateIs(id, 'unknown');
    const held = await ask('held-by-a-lie', '5.00', other.id);
    await waitFor(() => receiver.callsOf('lied-to').filter((method) => method === 'GET').length > 1, {
      what: 'the channel to be asked',
    });
    expect((await read(held)).state).toBe('reserved');
    receiver.let('GET lied-to', (response) => {
      const payment = { payoutId: `${id}a1`, userId: 'lied-to', amount: '5.00', currency: 'CNY' };
      return reply(response, 200, { ...payment, state: 'paid' });
    });
    await stateIs(id, 'paid');
    expect(await endFindings(id)).toEqual(['answer-differs']);
    await stateIs(held, 'paid');
  });

  it('whose wrong answer arrives again, after staff have dealt with the first, is not a new finding', async () => {
    const { id: channel } = await createChannel({ timeoutMs: 30_000 });
    const lie = { userId: 'lied-to-twice', amount: '50.00', currency: 'CNY', state: 'paid' };
    receiver.let('PUT lied-to-twice', (response, { payoutId }) => reply(response, 200, { payoutId, ...lie }));
    let answerTheQuestion: (() => void) | undefined;
    receiver.let('GET lied-to-twice', (response, { payoutId }) => {
      answerTheQuestion = () => reply(response, 200, { payoutId, ...lie });
    });
    const id = await ask('lied-to-twice', '5.00', channel);
    await waitFor(() => answerTheQuestion !== undefined, { what: 'the channel to be asked' });
    const { lastSentAt } = await read(id);
    const body = { outcome: 'paid', evidence: 'The book of the shop.', lastSentAt };
    const asked = await rain.as('finance', 'ann').post(`/v1/payouts/${id}/resolve`, body);
    await rain.as('finance', 'bob').post(`/v1/approvals/${asked.body.id}/approve`);
    expect([(await read(id)).state, await endFindings(id)]).toEqual(['paid', ['answer-differs']]);
    answerTheQuestion!();
    const answers = `hongbao_payout_calls_total{channel="${channel}",result="differs"}`;
    await waitFor(async () => (await rain.metric(answers, rain.workerUrl)) === 2, { what: answers });
    expect(await endFindings(id)).toEqual([]);
  });

  it('shows in the metrics of its channel while it is held, as do a finding and a waiting credit', async () => {
    const { id: channel } = await createChannel({ gatherSeconds: 3_600 });
    const shows = (...series: string[]) =>
      waitFor(
        async () => {
          const text = await (await fetch(`${rain.workerUrl}/metrics`)).text();
          return series.every((one) => text.includes(`\nhongbao_${one}\n`));
        },
        { what: series.join(', ') },
      );
    receiver.let('PUT measured', (response, payment, n) =>
      n === 1
        ? reply(response, 401, {})
        : n === 2 && reply(response, 200, { ...echo(payment), state: 'paid', amount: '6.00' }),
    );
    const activityId = await rain.createActivity({ payout: { channelId: channel } });
    await rain.user('winner').post(`/v1/activities/${activityId}/grabs`);
    const id = await ask('measured', '5.00', channel);
    await shows(
      `payout_calls_total{channel="${channel}",result="misconfigured"} 1`,
      `payout_calls_total{channel="${channel}",result="refused"} 0`,
      `payouts_open{channel="${channel}",state="unknown"} 1`,
      `unsent_credits{channel="${channel}"} 1`,
      `unsent_credits_overdue_seconds{channel="${channel}"} 0`,
      `payout_findings_open{channel="${channel}"} 1`,
    );
    await rain.operator().patch(`/v1/payout-channels/${channel}`, { profile: { gatherSeconds: 0 } });
    await endFindings(id);
    await stateIs(id, 'paid');
    await shows(
      `payouts_open{channel="${channel}",state="unknown"} 0`,
      `payouts_oldest_seconds{channel="${channel}",state="unknown"} 0`,
      `payout_circuit_open{channel="${channel}"} 0`,
      `unsent_credits{channel="${channel}"} 0`,
      `payout_findings_open{channel="${channel}"} 0`,
    );
  });

  it('is held while its channel does not accept our signature, and continues once it does', async () => {
    const other = await createChannel();
    let isOpen = false;
    const users = Array.from({ length: 6 }, (_, i) => `stranger-${i}`);
    for (const user of users)
      for (const method of ['PUT', 'GET'])
        receiver.let(`${method} ${user}`, (response) => (isOpen ? false : reply(response, 401, {})));
    const ids = await Promise.all(users.map((user) => ask(user, '5.00', other.id)));
    const circuit = `hongbao_payout_circuit_open{channel="${other.id}"}`;
    await waitFor(async () => (await rain.metric(circuit, rain.workerUrl)) === 1, { what: circuit });
    await waitFor(() => users.some((user) => receiver.callsOf(user).includes('GET')), {
      what: 'the channel to be probed',
    });
    for (const id of ids) expect((await read(id)).state).toMatch(/reserved|sending/);
    isOpen = true;
    for (const id of ids) await stateIs(id, 'paid');
    expect(users.map((user) => receiver.paidTo(user))).toEqual(users.map(() => ['5.00']));
  });

  it.each(['send.before-call', 'send.after-answer'])(
    'whose worker is killed at %s is taken over, asked about first, and paid once',
    async (moment) => {
      const user = `killed-${moment.replace('.', '-')}`;
      await rain.worker!.stop();
      const { program } = await rain.startAnother('worker.js', {
        FAILPOINTS: `${moment}=kill@1`,
        WEBHOOK_PRIVATE_ADDRESSES: 'true',
      });
      const id = await ask(user);
      await program.ended;
      expect((await read(id)).state).toBe('sending');
      const [other] = await Promise.all([rain.startAnother('worker.js'), rain.startWorker()]);
      await stateIs(id, 'paid');
      expect(receiver.paidTo(user)).toEqual(['5.00']);
      const calls = receiver.callsOf(user);
      if (moment === 'send.after-answer') expect(calls).toEqual(['PUT', 'GET']);
      else expect(calls).toEqual(['GET', ...calls.slice(1, -1), 'PUT']);
      await other.program.stop();
    },
  );

  it('is sent by one worker at a time, and never beyond the bounds of the profile', async () => {
    const other = await createChannel({ perSecond: 200, inFlight: 4 });
    const users = Array.from({ length: 12 }, (_, i) => `crowd-${i}`);
    const ids = await Promise.all(users.map((user) => ask(user, '1.00', other.id)));
    for (const id of ids) await stateIs(id, 'paid');
    expect(users.map((user) => receiver.callsOf(user))).toEqual(users.map(() => ['PUT']));
    expect(receiver.atOnceMax).toBe(1);
  });

  it('is paid at once, by one call, even if the channel never answers clearly about 20 payouts of each of five other users', async () => {
    const other = await createChannel({ timeoutMs: 30_000 });
    const troubled = [0, 1, 2, 3, 4].map((i) => `troubled-${i}`);
    for (const [i, user] of troubled.entries())
      for (const method of ['PUT', 'GET'])
        receiver.let(`${method} ${user}`, (response) =>
          i % 2 === 0 ? reply(response, 500, {}) : reply(response, 422, { code: 'under-review' }),
        );
    await Promise.all(
      troubled.map(async (user) => {
        for (let i = 0; i < 20; i++) await ask(user, '0.01', other.id);
      }),
    );
    for (let i = 0; i < 5; i++) {
      const user = `calm-${i}`;
      const { steps } = await stateIs(await ask(user, '1.00', other.id), 'paid');
      expect([steps.length, receiver.callsOf(user)]).toEqual([3, ['PUT']]);
    }
    for (const user of troubled) expect(receiver.callsOf(user).length).toBeGreaterThan(0);
    const circuit = () => rain.metric(`hongbao_payout_circuit_open{channel="${other.id}"}`, rain.workerUrl);
    await waitFor(async () => Number.isFinite(await circuit()), {
      what: 'the watch to have seen the channel',
    });
    expect(await circuit()).toBe(0);
  });
});
