import Redis from 'ioredis';
import { packetOf, redPacketId } from '../../libs/red-packet-id';
import { DirectSettlement } from '../../src/core/wallet/direct-settlement';
import { ThanksService } from '../../src/extensions/sender/thanks.service';
import { WebhookChannel } from '../../src/extensions/webhook/webhook-channel';
import { WebhookDirectory } from '../../src/extensions/webhook/webhook-directory';
import { WebhookService } from '../../src/extensions/webhook/webhook.service';
import { REDIS } from '../../src/platform/redis';
import { type Books, openBooks, requestOf } from '../harness/books';
import { Graph } from '../harness/graph';

/** Nothing listens there. */
const nowhere = new Redis({
  port: 1,
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy: () => null,
});
nowhere.on('error', () => undefined);

let books: Books;
let close: () => Promise<void>;
let api: Graph;
let worker: Graph;

beforeAll(async () => {
  ({ books, close } = await openBooks({ WEBHOOK_PRIVATE_ADDRESSES: 'true' }));
  const replaced = [...books.replacements, [REDIS, nowhere] as const];
  api = await Graph.api(books, replaced);
  worker = await Graph.worker(books, replaced);
  const body = { url: 'http://127.0.0.1:9/', events: ['packet.thanked', 'wallet.credited'] };
  await api.get(WebhookService).create(requestOf('operator', 'operator'), body);
  for (const program of [api, worker]) {
    program.get(WebhookChannel).onModuleInit();
    await program.get(WebhookDirectory).refresh();
  }
});

afterAll(async () => {
  for (const program of [api, worker]) await program.close();
  await close();
});

async function win(userId: string) {
  const activityId = await books.activity({ packets: 1, sponsorId: 'host' });
  await books.claim(activityId, [userId]);
  const { id, packetNo } = (await books.wonPackets.findClaim(activityId, userId))!;
  return { claimId: id, packetId: redPacketId(activityId, packetNo) };
}

/** Waiting messages that name the user. */
const waitingFor = async (userId: string): Promise<string[]> => {
  const rows = await books.dataSource.query<{ id: string }[]>(
    `select message_id as id from undelivered_message where status = 'waiting' and body like '%"' || $1 || '"%'`,
    [userId],
  );
  return rows.map(({ id }) => id);
};

describe('while Redis is down, a webhook', () => {
  it('has news of thanks kept for it in Postgres', async () => {
    const { packetId } = await win('ann');
    await api.get(ThanksService).thank(requestOf('ann', 'user'), packetId, '谢谢老板');
    expect(await waitingFor('ann')).toEqual([`thanks_${packetId}`]);
  });

  it('has them once more if they are repeated soon, and no longer when the user may have been forgotten', async () => {
    const { packetId } = await win('cem');
    const thank = () => api.get(ThanksService).thank(requestOf('cem', 'user'), packetId, '谢谢');
    const lose = () => books.dataSource.query(`delete from undelivered_message where body like '%"cem"%'`);
    await thank();
    await lose();
    await thank();
    expect(await waitingFor('cem')).toEqual([`thanks_${packetId}`]);
    await lose();
    await books.dataSource.transaction(async (tx) => {
      await tx.query(`set local session_replication_role = replica`);
      const said = `activity_id = $1 and packet_no = $2`;
      const { activityId, no } = packetOf(packetId);
      await tx.query(`update thanks set thanked_at = now() - interval '2 hours' where ${said}`, [
        activityId,
        no,
      ]);
    });
    expect(await thank()).toMatchObject({ text: '谢谢' });
    expect(await waitingFor('cem')).toEqual([]);
  });

  it('has news of wins kept for it that were paid without the queue, but none that it does not want', async () => {
    const { claimId } = await win('bob');
    await worker.get(DirectSettlement).settleUpTo(claimId, new AbortController().signal);
    expect(await books.balance('bob')).toBeGreaterThan(0n);
    expect(await waitingFor('bob')).toEqual([`claim_${claimId}_credited`]);
  });
});
