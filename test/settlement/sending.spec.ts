import { verifySignature } from '../../libs/client';
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
  secret,
  shareCalledChannel,
  stateIs,
} from './called-channel';

shareCalledChannel();

describe('a payout through a channel that is called', () => {
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

  it('is sent by one worker at a time, and never beyond the bounds of the profile', async () => {
    const other = await createChannel({ perSecond: 200, inFlight: 4 });
    const users = Array.from({ length: 12 }, (_, i) => `crowd-${i}`);
    const ids = await Promise.all(users.map((user) => ask(user, '1.00', other.id)));
    for (const id of ids) await stateIs(id, 'paid');
    expect(users.map((user) => receiver.callsOf(user))).toEqual(users.map(() => ['PUT']));
    expect(receiver.atOnceMax).toBe(1);
  });
});
