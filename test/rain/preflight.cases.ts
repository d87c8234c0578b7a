import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';
import { createTicketKey } from '../harness/ticket';

describe('the pre-flight of an activity', () => {
  const preflightOf = async (id: string): Promise<{ verdict: string; checks: Record<string, string> }> => {
    const { status, body } = await rain.operator().get(`/v1/activities/${id}/preflight`);
    expect({ status, ...body }).toMatchObject({ status: 200, activityId: id });
    const checks = body.checks as { name: string; verdict: string }[];
    return {
      verdict: body.verdict,
      checks: Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict])),
    };
  };
  const reasonOf = async (id: string, name: string): Promise<object | undefined> => {
    const { body } = await rain.operator().get(`/v1/activities/${id}/preflight`);
    return (body.checks as { name: string }[]).find((check) => check.name === name);
  };
  const ALL_OK = {
    books: 'ok',
    packets: 'ok',
    tickets: 'ok',
    channel: 'ok',
    clocks: 'ok',
    memory: 'ok',
    workers: 'ok',
  };

  it('is ok if nothing is in the way, and stops if its channel is paused or can no longer pay its packets', async () => {
    const channel = await rain
      .operator()
      .post('/v1/payout-channels', { name: 'Pre-flight', profile: { smallest: '0.01' } });
    const payout = { channelId: channel.body.id as string };
    const id = await rain.createActivity({ opensInMs: 60_000, payout });
    await waitFor(async () => (await preflightOf(id)).verdict === 'ok', { what: 'a pre-flight that is ok' });
    expect((await preflightOf(id)).checks).toEqual(ALL_OK);
    expect(await reasonOf(id, 'books')).toEqual({
      name: 'books',
      verdict: 'ok',
      code: 'books.balanced',
      figures: ['100.00 CNY'],
      reason: 'The books agree; the escrow holds 100.00 CNY.',
    });
    const change = (body: object) => rain.operator().patch(`/v1/payout-channels/${payout.channelId}`, body);
    await change({ paused: true });
    expect(await preflightOf(id)).toEqual({ verdict: 'stop', checks: { ...ALL_OK, channel: 'stop' } });
    await change({ paused: false, profile: { smallest: '99.00' } });
    expect((await preflightOf(id)).checks.channel).toBe('stop');
    expect(await reasonOf(id, 'channel')).toMatchObject({
      code: 'channel.unpayable',
      figures: [payout.channelId],
    });
    expect((await rain.user('nosy').get(`/v1/activities/${id}/preflight`)).status).toBe(404);
  });

  it('stops while no key could sign the tickets that the activity requires', async () => {
    const id = await rain.createActivity({ opensInMs: 60_000, admission: 'ticket', sponsorId: 'no-keys' });
    expect((await preflightOf(id)).checks.tickets).toBe('stop');
    const { id: keyId } = await createTicketKey(rain, 'no-keys');
    expect((await preflightOf(id)).checks.tickets).toBe('ok');
    await rain.operator().delete(`/v1/ticket-keys/${keyId}`);
    expect((await preflightOf(id)).checks.tickets).toBe('stop');
  });

  it('stops if the last sign of a worker is seconds old, and if it has expired', async () => {
    const id = await rain.createActivity({ opensInMs: 60_000 });
    await rain.pauseWorker();
    await waitFor(async () => (await preflightOf(id)).verdict === 'stop', { what: 'the stop' });
    expect((await preflightOf(id)).checks).toEqual({ ...ALL_OK, workers: 'stop' });
    expect(await rain.redis.del(await rain.redis.keys('*:lease:worker-sign'))).toBe(1);
    expect((await preflightOf(id)).checks).toEqual({ ...ALL_OK, workers: 'stop' });
    rain.resumeWorker();
    await waitFor(async () => (await preflightOf(id)).verdict === 'ok', { what: 'the worker' });
  });
});
