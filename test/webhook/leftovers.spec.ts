import { UndeliveredRepository } from '../../src/extensions/webhook/undelivered.repository';
import { type Books, openBooks } from '../harness/books';

let books: Books;
let close: () => Promise<void>;
let undelivered: UndeliveredRepository;

beforeAll(async () => {
  ({ books, close } = await openBooks());
  undelivered = new UndeliveredRepository(books.dataSource);
});

afterAll(() => close());

const GIVEN_UP = { attempts: 1, lastError: 'answered 500' };

const message = (id: string) => ({ id, event: 'wallet.credited' as const, body: '{}' });

const kept = async (webhookId: string): Promise<string[]> => {
  const rows = await books.dataSource.query<{ message_id: string }[]>(
    `select message_id from undelivered_message where webhook_id = $1 order by id`,
    [webhookId],
  );
  return rows.map((row) => row.message_id);
};

describe('a message that a webhook did not take', () => {
  it('is forgotten if it is not replayed for a long time, oldest first, while waiting messages are kept', async () => {
    for (const id of ['oldest', 'old', 'late']) await undelivered.bury('1', message(id), GIVEN_UP);
    await undelivered.bury('2', message('of another'), GIVEN_UP);
    await undelivered.park('1', [message('waiting')]);
    await books.dataSource.query(
      `update undelivered_message set updated_at = now() - interval '90 days' where message_id <> 'late'`,
    );
    // Postgres has counted microseconds meanwhile.
    const now = Date.now() / 1_000 + 1;
    await undelivered.forgetDead('1', 91, 10, now);
    expect(await kept('1')).toEqual(['oldest', 'old', 'late', 'waiting']);
    await undelivered.forgetDead('1', 90, 10, now - 3_600);
    expect(await kept('1')).toEqual(['oldest', 'old', 'late', 'waiting']);
    await undelivered.forgetDead('1', 90, 1, now);
    expect(await kept('1')).toEqual(['old', 'late', 'waiting']);
    await undelivered.forgetDead('1', 90, 10, now);
    expect(await kept('1')).toEqual(['late', 'waiting']);
    expect(await kept('2')).toEqual(['of another']);
  });

  it('is replayed only to the webhook that is named, whatever ids are sent', async () => {
    await undelivered.bury('4', message('own'), GIVEN_UP);
    await undelivered.bury('5', message('foreign'), GIVEN_UP);
    const [[own], [foreign]] = [
      await undelivered.dead('4', undefined, 9),
      await undelivered.dead('5', undefined, 9),
    ];
    const replay = (ids?: string[]) => undelivered.replay(books.dataSource.manager, '4', ids, 9);
    expect(await replay([foreign!.id])).toEqual([]);
    expect(await replay()).toEqual([own!.id]);
    expect(await undelivered.find('5', 'foreign')).toMatchObject({ status: 'dead' });
    expect(await undelivered.find('4', 'foreign')).toBeUndefined();
  });

  it('is offered again even if a clock that was ahead has dated its last offer days from now', async () => {
    await undelivered.park('3', [message('offered')]);
    const offered = async () => (await undelivered.takeWaiting('3', 10, 60)).length;
    expect([await offered(), await offered()]).toEqual([1, 0]);
    await books.dataSource.query(
      `update undelivered_message set offered_at = now() + interval '2 days' where webhook_id = '3'`,
    );
    expect([await offered(), await offered()]).toEqual([1, 0]);
  });
});
