import type { Program } from '../../src/dev/engines';
import { waitFor } from '../harness/engines';
import { EventClient } from '../harness/event-client';
import { rain } from '../harness/shared-installation';

describe('news of payouts', () => {
  let channelId: string;
  const clients: EventClient[] = [];
  const workers: Program[] = [];

  beforeAll(async () => {
    const profile = { smallest: '1.00' };
    channelId = (await rain.operator().post('/v1/payout-channels', { name: 'Shop', profile })).body.id;
  });

  afterEach(() =>
    Promise.all([
      ...clients.splice(0).map((client) => client.close()),
      ...workers.splice(0).map((worker) => worker.stop()),
    ]),
  );

  async function startWorker(settings: NodeJS.ProcessEnv = {}): Promise<Program> {
    const { program } = await rain.startAnother('worker.js', settings);
    workers.push(program);
    return program;
  }

  async function listen(user: string): Promise<EventClient> {
    const client = await EventClient.connect(rain.url, rain.tokenOf(user));
    clients.push(client);
    return client;
  }

  async function ask(user: string): Promise<string> {
    await rain.operator().post(`/v1/wallets/${user}/deposits`, { amount: '7.10' });
    const { status, body } = await rain.user(user).post('/v1/me/payouts', { amount: '7.10', channelId });
    expect(status).toBe(201);
    return body.id as string;
  }

  async function report(id: string, outcome: string, more: object = {}): Promise<void> {
    const outcomes = [{ id, outcome, ...more }];
    await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
  }

  const heard = (client: EventClient, count: number) =>
    waitFor(() => client.heard.length >= count, { what: `${count} events` });

  it('notify only the user of each change, once, and say why or what to do', async () => {
    await startWorker();
    const [client, stranger] = [await listen('payee'), await listen('stranger')];
    const [first, second] = [await ask('payee'), await ask('payee')];
    await report(first, 'needs-user', { action: 'Confirm it in the app.' });
    for (const outcome of ['needs-user', 'processing', 'paid', 'paid', 'returned'])
      await report(first, outcome);
    await report(second, 'refused', { code: 'user-closed' });
    await heard(client, 4);
    const about = { channelId, amount: '7.10', currency: 'CNY', userId: 'payee' };
    const always = { messageId: expect.any(String), at: expect.stringMatching(/Z$/) };
    const data = { ...about, ...always, payoutId: first };
    expect(client.heard.map((one) => ({ event: one.event, data: one.data }))).toEqual([
      { event: 'payout.needs-user', data: { ...data, action: 'Confirm it in the app.' } },
      { event: 'payout.paid', data },
      { event: 'payout.returned', data },
      { event: 'payout.refused', data: { ...data, payoutId: second, code: 'user-closed' } },
    ]);
    expect(new Set(client.messageIds).size).toBe(4);
    expect(stranger.heard).toEqual([]);
  });

  it('are published once even if the worker dies before recording that', async () => {
    const trapped = await startWorker({ FAILPOINTS: 'news.before-commit=kill@1' });
    const client = await listen('waiter');
    const id = await ask('waiter');
    await report(id, 'paid');
    await waitFor(() => !trapped.running, { what: 'the end of the worker' });
    await startWorker();
    await heard(client, 1);
    await waitFor(async () => (await rain.sql('select from payout_news')).length === 0, {
      what: 'the news to be recorded as published',
    });
    await report(id, 'returned');
    await heard(client, 2);
    expect(client.heard.map(({ event }) => event)).toEqual(['payout.paid', 'payout.returned']);
  });
});
