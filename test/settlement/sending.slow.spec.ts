import { waitFor } from '../harness/engines';
import { echo, reply } from '../harness/payout-receiver';
import { rain } from '../harness/shared-installation';
import {
  ask,
  balanceOf,
  createChannel,
  endFindings,
  read,
  receiver,
  shareCalledChannel,
  stateIs,
} from './called-channel';

shareCalledChannel();

describe('a payout through a channel that is called', () => {
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
