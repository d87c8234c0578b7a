import { type Books, openBooks, requestOf } from '../harness/books';
import { codeOf } from '../harness/problems';

let books: Books;
let close: () => Promise<void>;
let channelId: string;

beforeAll(async () => {
  ({ books, close } = await openBooks({ APPROVAL_ABOVE: '5.00' }));
  const profile = { smallest: '0.01', perUserPerDay: '10.00' };
  const request = requestOf('operator', 'operator');
  ({ id: channelId } = await books.channels.create(request, { name: 'Shop', profile }));
});

afterEach(async () => {
  expect(await books.broken()).toEqual([]);
});

afterAll(() => close());

const ask = (userId: string, amount: string) =>
  codeOf(books.asks.ask(requestOf(userId, 'user'), { amount, channelId }));

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
