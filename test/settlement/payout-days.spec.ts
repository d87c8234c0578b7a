import { requestOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

let channelId: string;

proveBooks();
shareBooks({ APPROVAL_ABOVE: '5.00' });

beforeAll(async () => {
  channelId = await books.createChannel({ perUserPerDay: '10.00' });
});

const ask = (userId: string, amount: string) => codeOf(books.askForPayout(userId, channelId, amount));

async function rejectReview(userId: string): Promise<void> {
  const [approval] = await books.dataSource.query<{ id: string }[]>(
    `select id from approval where action = 'payout.reserve' and asked_by = $1 and status = 'pending'`,
    [userId],
  );
  await books.approvals.reject(requestOf('decider'), approval!.id);
}

describe('the daily limit of a user in a channel', () => {
  it('applies to the first payout of the day as well', async () => {
    await books.deposit('first', 20_00n);
    expect(await ask('first', '10.01')).toBe('payout.limit_reached');
    expect(await ask('first', '10.00')).toBe('done');
    expect(await ask('first', '0.01')).toBe('payout.limit_reached');
  });

  it('does not count a payout that a second person has rejected', async () => {
    await books.deposit('rejected', 20_00n);
    expect(await ask('rejected', '8.00')).toBe('done');
    expect(await ask('rejected', '3.00')).toBe('payout.limit_reached');
    await rejectReview('rejected');
    expect(await ask('rejected', '10.00')).toBe('done');
  });
});
