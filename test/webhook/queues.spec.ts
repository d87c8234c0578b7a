import { WebhookQueues } from '../../src/extensions/webhook/webhook-queues';
import { WebhookService } from '../../src/extensions/webhook/webhook.service';
import { WebhookTrial } from '../../src/extensions/webhook/webhook-trial';
import { UndeliveredRepository } from '../../src/extensions/webhook/undelivered.repository';
import { OPERATOR, requestOf } from '../harness/books';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { dispensing, rain, shareRain } from '../harness/shared-books';

shareRain();

const MANY = 60;

let api: Graph;
let webhookId: string;

beforeAll(async () => {
  api = await rain.openApi();
});

beforeEach(async () => {
  const body = { url: 'https://partner.example/hongbao' };
  ({ id: webhookId } = await api.get(WebhookService).create(requestOf('op', 'operator'), body));
});

const message = (no: number) => ({ id: `m_${no}`, event: 'wallet.credited' as const, body: '{}' });

it('a message is found in the queue of its webhook, however many came after it', async () => {
  await api.get(WebhookQueues).offer(
    webhookId,
    Array.from({ length: MANY }, (_, i) => message(i)),
  );
  for (const no of [0, MANY - 1])
    expect(await api.get(WebhookTrial).message(webhookId, `m_${no}`)).toMatchObject({ state: 'waiting' });
  expect(await codeOf(api.get(WebhookTrial).message(webhookId, `m_${MANY}`))).toBe(
    'webhook.message_not_found',
  );
});

it('a message that is replayed is found in its next round, however many came after it', async () => {
  const [queues, undelivered] = [api.get(WebhookQueues), api.get(UndeliveredRepository)];
  await undelivered.bury(webhookId, message(0), { attempts: 3, lastError: 'answered 500' });
  await api.get(WebhookService).replay(requestOf('op', 'operator'), webhookId, undefined);
  const waiting = await undelivered.takeWaiting(webhookId, 10, 60);
  await queues.offerAgain(webhookId, waiting);
  await queues.offer(
    webhookId,
    Array.from({ length: MANY }, (_, i) => message(i + 1)),
  );
  const found = await queues.find(webhookId, 'm_0', 3);
  expect(found).toMatchObject({ state: 'waiting', messageId: 'm_0' });
  expect(await queues.find(webhookId, 'm_0', 4)).toBeUndefined();
});

it('a test that is repeated after its webhook was deleted is refused, and leaves nothing in Redis', async () => {
  const test = () => api.get(WebhookTrial).send(requestOf('op', 'operator', 'test-of-a-webhook'), webhookId);
  await test();
  await api.get(WebhookService).delete(OPERATOR, webhookId);
  await api.get(WebhookQueues).discard(webhookId);
  expect(await codeOf(test())).toBe('webhook.not_found');
  expect(await dispensing.redis.keys(`*webhook-${webhookId}*`)).toEqual([]);
});
