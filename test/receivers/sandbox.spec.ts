import { newSecret } from '../../libs/standard-webhooks';
import { type Order, ReceiverClient } from '../../src/dev/conformance/receiver-client';
import { SandboxChannel } from '../../src/dev/sandbox/sandbox-channel';
import { waitFor } from '../harness/engines';
import { conformTo } from './receiver-program';

const secret = newSecret();
const TIMEOUT_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Slow things take an hour in the first, and no time in the second. */
let sandbox: SandboxChannel;
let hasty: SandboxChannel;
let client: ReceiverClient;

const start = (laterMs: number) =>
  SandboxChannel.start({ secrets: [secret], port: 0, currency: 'CNY', laterMs });
const clientOf = ({ url }: SandboxChannel) => new ReceiverClient(url, [secret], TIMEOUT_MS);

beforeAll(async () => {
  [sandbox, hasty] = [await start(HOUR_MS), await start(0)];
  client = clientOf(sandbox);
});

afterAll(() => Promise.all([sandbox.stop(), hasty.stop()]));

const order = (payoutId: string, userId: string): Order => ({
  payoutId,
  userId,
  amount: '7.10',
  amountMinor: '710',
  currency: 'CNY',
  claims: 1,
  createdAt: '2031-01-01T00:00:00.000Z',
});

const told = async (
  answer: Promise<{ status: number; body: Readonly<Record<string, unknown>> | undefined }>,
) => {
  const { status, body } = await answer;
  return `${status} ${String(body?.code ?? body?.state)}`;
};

it.each([
  ['sbx-paid', '200 paid', '200 paid', '200 paid'],
  ['sbx-twice', '200 paid', '200 paid', '200 paid'],
  ['sbx-needs-user', '202 needs-user', '202 needs-user', '200 paid'],
  ['sbx-refused', '422 user-closed', '422 user-closed', '422 user-closed'],
  ['sbx-new-code', '422 risk-control-7', '422 risk-control-7', '422 risk-control-7'],
  ['sbx-slow', '202 processing', '202 processing', '200 paid'],
  ['sbx-returned', '200 paid', '200 paid', '200 returned'],
  ['sbx-lies-about-amount', '200 paid', '200 paid', '200 paid'],
  ['sbx-not-found-yet', '503 undefined', '404 not-found', '200 paid'],
])('%s is answered %s to a PUT, %s to a GET, and %s later', async (userId, put, get, later) => {
  const asked = order(`s${userId.replace(/\W/g, '')}`, userId);
  expect(await told(client.put(asked))).toBe(put);
  expect(await told(client.get(asked.payoutId))).toBe(get);
  const afterwards = clientOf(hasty);
  await afterwards.put(asked);
  expect(await told(afterwards.get(asked.payoutId))).toBe(later);
});

it('sbx-timeout-after-effect is paid without an answer', async () => {
  const asked = order('timeout', 'sbx-timeout-after-effect');
  const first = client.put(asked).catch(() => undefined);
  await waitFor(async () => (await told(client.get('timeout'))) === '200 paid', { what: 'the effect' });
  const again = told(client.put(asked));
  expect(await Promise.race([first, again])).toBe('200 paid');
});

it('sbx-lies-about-amount repeats a different amount', async () => {
  const { body } = await client.put(order('lie', 'sbx-lies-about-amount'));
  expect(body!.amount).not.toBe('7.10');
});

it('sbx-twice is in the daily file twice', async () => {
  await client.put(order('twice', 'sbx-twice'));
  const { text } = await client.statement(new Date().toISOString().slice(0, 10));
  expect(text.match(/^twice,/gm)).toHaveLength(2);
});

it('for all other users the sandbox passes every check of the kit except those for a second secret and a restart', async () => {
  const results = await conformTo({ url: sandbox.url, secret });
  expect(
    results.filter(({ result }) => result !== 'passed').map(({ name, result }) => [name, result]),
  ).toEqual([
    ['restart', 'skipped'],
    ['signature-rotated', 'skipped'],
  ]);
});
