import type { PayoutDto } from '../../src/extensions/payout/book/payout.dto';
import type { Problem } from '../../libs/problem';
import { SecondPerson } from '../../src/core/second-person';
import { IdempotentRequest } from '../../src/platform/http';
import { isHeldUp } from '../../src/platform/postgres';
import { Books, OPERATOR, requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

const CROWD = 300;
const SETTINGS = { APPROVAL_ABOVE: '50.00', APPROVAL_ABOVE_DAILY: '1000.00' };

/** Another API process over the same books. */
let others: Books;

afterAll(() => others.close());
proveBooks();
shareBooks(SETTINGS);

beforeAll(async () => {
  others = await Books.of(books.databaseUrl, SETTINGS);
});

const channelOf = (profile: object = {}) => books.createChannel({ smallest: '0.10', ...profile });

/** Users with ten units of money each. */
async function crowdOf(name: string, count: number): Promise<string[]> {
  const users = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  const totalMinor = BigInt(count) * 10_00n;
  const rain = await books.activity({ packets: count, totalMinor, split: { kind: 'equal' } });
  await books.settlement.settle(await books.claim(rain, users));
  return users;
}

const ask = (
  channelId: string,
  user: string,
  amount = '1.00',
  request = requestOf(user, 'user'),
  at = books,
): Promise<PayoutDto> => at.asks.ask(request, { amount, channelId });

/** The state of a payout, or the code of its refusal. */
const resultOf = (asking: Promise<PayoutDto>): Promise<string> =>
  asking.then(
    ({ state }) => state,
    (error: { code: string }) => error.code,
  );

async function commitsOf(channelId: string): Promise<number> {
  const [row] = await books.dataSource.query<{ count: number }[]>(
    `select count(distinct xmin::text)::int as count from payout where channel_id = $1`,
    [channelId],
  );
  return row!.count;
}

const countOf = (all: readonly string[], one: string) => all.filter((other) => other === one).length;

it('a crowd that withdraws at once shares commits, and each user has one payout on record', async () => {
  const channelId = await channelOf();
  const users = await crowdOf('crowd', CROWD);
  const states = await Promise.all(users.map((user) => resultOf(ask(channelId, user))));
  expect(states).toEqual(users.map(() => 'reserved'));
  expect(await commitsOf(channelId)).toBeLessThan(CROWD / 20);
  expect(await books.balance(channelId, 'outbound')).toBe(BigInt(CROWD) * 100n);
  const noted = await books.dataSource.query<unknown[]>(
    `select from payout join audit_log on subject = 'payout:' || payout.id and audit_log.action = 'payout.ask' and actor_id = user_id
      where channel_id = $1 and detail = jsonb_build_object('amount', '1.00', 'channelId', channel_id::text)`,
    [channelId],
  );
  expect(noted).toHaveLength(CROWD);
});

it('a request that is refused does not disturb those that are judged together with it', async () => {
  const channelId = await channelOf({ largest: '9.00', perUserPerDay: '8.00' });
  const [ann, bob, cem, dan, eve] = await crowdOf('mixed', 5);
  await books.setStatus(bob!, 'frozen');
  await ask(channelId, cem!, '5.00');
  const asks = [
    ask(channelId, ann!),
    ask(channelId, bob!),
    ask(channelId, cem!, '3.01'),
    ask(channelId, 'nobody'),
  ];
  const sums = [ask(channelId, dan!, '0.09'), ask(channelId, eve!, '9.01'), ask('999999', eve!)];
  expect(await Promise.all([...asks, ...sums].map(resultOf))).toEqual([
    ...['reserved', 'wallet.frozen', 'payout.limit_reached', 'wallet.insufficient_funds'],
    ...['payout.below_smallest', 'payout.above_largest', 'payout_channel.not_found'],
  ]);
  expect([await books.balance(ann!), await books.balance(cem!)]).toEqual([9_00n, 5_00n]);
});

it('a refusal says which limit was reached', async () => {
  const channelId = await channelOf({ largest: '9.00', perUserPerDay: '8.00' });
  const [fay, gil] = await crowdOf('told', 2);
  const told = (user: string, amount: string) =>
    ask(channelId, user, amount).catch(({ detail }: Problem) => detail);
  expect(await told(fay!, '0.09')).toBe('The least is 0.10.');
  expect(await told(fay!, '9.01')).toBe('The most is 9.00.');
  expect(await told(fay!, '8.01')).toBe('A user may take out at most 8.00 a day, in at most 100 payouts.');
  expect(await told('nobody', '1.00')).toBe('The paying account holds less than the amount.');
  await books.setStatus(gil!, 'frozen');
  expect(await told(gil!, '1.00')).toBe(`The wallet of ${gil} is frozen.`);
});

it('a user has at most twenty payouts under way in a channel, and the next one may begin when one has ended', async () => {
  const channelId = await channelOf();
  const [hal] = await crowdOf('busy', 1);
  const twenty = [];
  for (let i = 0; i < 20; i++) twenty.push(await ask(channelId, hal!, '0.10'));
  await expect(ask(channelId, hal!, '0.10')).rejects.toMatchObject({
    code: 'payout.limit_reached',
    detail: '20 payouts of CNY are on their way already.',
  });
  await books.report(channelId, { id: twenty[7]!.id, outcome: 'paid' });
  expect(await resultOf(ask(channelId, hal!, '0.10'))).toBe('reserved');
});

it('a request names the currency of its channel, or is refused and says which one that is', async () => {
  const channelId = await channelOf();
  await books.addCurrency({ code: 'SHELLS', kind: 'points', name: 'Shells' });
  const [ivy] = await crowdOf('abroad', 1);
  const request = requestOf(ivy!, 'user');
  await expect(books.asks.ask(request, { amount: '1', currency: 'SHELLS', channelId })).rejects.toMatchObject(
    { fields: [{ field: 'currency', message: 'must be CNY, the currency of this channel' }] },
  );
});

it('a request whose statement fails in Postgres does not make other requests fail', async () => {
  const channelId = await channelOf();
  const users = await crowdOf('poison', 9);
  const rule = (change: string) => books.dataSource.query(`alter table payout ${change}`);
  await rule(`add constraint poison check (user_id <> 'poison-4') not valid`);
  try {
    const asking = await Promise.allSettled(users.map((user) => ask(channelId, user)));
    expect(asking.map((answer) => (answer.status === 'fulfilled' ? answer.value.userId : undefined))).toEqual(
      users.map((user) => (user === 'poison-4' ? undefined : user)),
    );
  } finally {
    await rule('drop constraint poison');
  }
  expect(await books.balance('poison-4')).toBe(10_00n);
  // The others still share commits.
  expect(await commitsOf(channelId)).toBeLessThan(users.length / 2);
});

it('a request whose channel somebody is changing is held up, and no longer when that has ended', async () => {
  const channelId = await channelOf();
  const [joy] = await crowdOf('changing', 1);
  const release = await books.hold((tx) =>
    tx.query(`select from payout_channel where id = $1 for update`, [channelId]),
  );
  try {
    expect(isHeldUp(await ask(channelId, joy!).catch((error: unknown) => error))).toBe(true);
  } finally {
    await release();
  }
  expect(await resultOf(ask(channelId, joy!))).toBe('reserved');
});

it('a channel is not deleted while a request through it is judged, whose payout would otherwise never leave', async () => {
  const channelId = await channelOf();
  const [lou] = await crowdOf('last', 1);
  const account = `select from account where kind = 'outbound' and owner_id = $1 for update`;
  const release = await books.hold((tx) => tx.query(account, [channelId]));
  const blocked = (count: number) =>
    waitFor(async () => (await books.blocked()).length === count, { what: `${count} that wait` });
  const asking = resultOf(ask(channelId, lou!));
  await blocked(1);
  const deleting = codeOf(books.channels.delete(OPERATOR, channelId));
  await Promise.race([deleting, blocked(2)]);
  await release();
  expect([await asking, await deleting]).toEqual(['reserved', 'payout_channel.in_use']);
});

it('nothing is kept of a channel when nobody asks any more, even if there is no such channel', async () => {
  const channelId = await channelOf();
  const [kim] = await crowdOf('made-up', 1);
  await Promise.all(['999998', channelId, '999999'].map((id) => resultOf(ask(id, kim!))));
  expect(books.asks.channelsUnderWay).toBe(0);
});

it('a user whose wallet is locked does not make other users wait', async () => {
  const channelId = await channelOf();
  const [held, ...free] = await crowdOf('locked', 6);
  const release = await books.hold((tx) => books.ledger.lockWallets(tx, [held!], books.currency, true));
  const waiting = resultOf(ask(channelId, held!));
  try {
    const states = await Promise.all(free.map((user) => resultOf(ask(channelId, user))));
    expect(states).toEqual(free.map(() => 'reserved'));
  } finally {
    await release();
  }
  expect(await waiting).toBe('reserved');
});

it('a user of whom another deed is under way waits alone', async () => {
  const channelId = await channelOf();
  const [held, ...free] = await crowdOf('spending', 6);
  const sum = { doneBy: held!, currency: books.currency, amountMinor: 1n };
  const release = await books.hold((tx) => books.serviceOf(SecondPerson).takeSoloSums(tx, [sum]));
  const waiting = resultOf(ask(channelId, held!));
  try {
    const states = await Promise.all(free.map((user) => resultOf(ask(channelId, user))));
    expect(states).toEqual(free.map(() => 'reserved'));
    expect(await Promise.race([waiting, Promise.resolve('still waiting')])).toBe('still waiting');
  } finally {
    await release();
  }
  expect(await waiting).toBe('reserved');
});

it('a channel whose account is locked does not hold up other channels', async () => {
  const [held, free] = [await channelOf(), await channelOf()];
  const [ann, bob] = await crowdOf('account', 2);
  const release = await books.hold(async (tx) =>
    books.ledger.lock(tx, [await books.ledger.outboundAccountOf(tx, held, books.currency)]),
  );
  const waiting = resultOf(ask(held, ann!));
  try {
    expect(await resultOf(ask(free, bob!))).toBe('reserved');
  } finally {
    await release();
  }
  expect(await waiting).toBe('reserved');
});

it('a user’s limits are kept to the last payout if the user makes many requests at once, to several processes', async () => {
  const [many, byDay] = [await channelOf(), await channelOf({ perUserPerDay: '3.00' })];
  const [ann, bob, cem] = await crowdOf('greedy', 3);
  const atOnce = (channelId: string, user: string, times: number, amount: string) =>
    Promise.all(
      Array.from({ length: times }, (_, i) =>
        resultOf(ask(channelId, user, amount, requestOf(user, 'user'), i % 2 ? others : books)),
      ),
    );
  const [open, summed, funded] = await Promise.all([
    atOnce(many, ann!, 24, '0.10'),
    atOnce(byDay, bob!, 8, '1.00'),
    atOnce(many, cem!, 8, '3.00'),
  ]);
  expect([countOf(open, 'reserved'), countOf(open, 'payout.limit_reached')]).toEqual([20, 4]);
  expect([countOf(summed, 'reserved'), countOf(summed, 'payout.limit_reached')]).toEqual([3, 5]);
  expect([countOf(funded, 'reserved'), countOf(funded, 'wallet.insufficient_funds')]).toEqual([3, 5]);
  expect([await books.balance(ann!), await books.balance(bob!), await books.balance(cem!)]).toEqual([
    ...[8_00n, 7_00n, 1_00n],
  ]);
});

it('a request that is sent many times at once with the same Idempotency-Key has one effect and one answer', async () => {
  const channelId = await channelOf();
  const [ann, bob] = await crowdOf('repeated', 2);
  const again = (fingerprint = Buffer.alloc(32)) => {
    const reply = { statusCode: 201, header: () => reply };
    return new IdempotentRequest({ userId: ann!, role: 'user' }, 'asked-once', fingerprint, reply as never);
  };
  const times = Array.from({ length: 6 }, (_, i) =>
    ask(channelId, ann!, '1.00', again(), i % 2 ? others : books),
  );
  const [answers] = [await Promise.allSettled(times), await ask(channelId, bob!)];
  const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []));
  expect(new Set(given.map(({ id }) => id)).size).toBe(1);
  expect(refused.filter((code) => code !== 'idempotency.in_flight')).toEqual([]);
  expect(await books.balance(ann!)).toBe(9_00n);
  await books.setPaused(channelId, true);
  const [replayed, other, fresh] = await Promise.allSettled([
    ask(channelId, ann!, '1.00', again()),
    ask(channelId, ann!, '2.00', again(Buffer.alloc(32, 1))),
    ask(channelId, bob!),
  ]);
  expect(replayed).toMatchObject({ status: 'fulfilled', value: given[0] });
  expect(other).toMatchObject({ reason: { code: 'idempotency.mismatch' } });
  expect(fresh).toMatchObject({ reason: { code: 'payout_channel.paused' } });
});

it('two users who choose the same Idempotency-Key have payouts of their own, and each is answered with theirs again', async () => {
  const channelId = await channelOf();
  const users = await crowdOf('alike', 2);
  const askAll = async () => {
    const asked = users.map((userId) => {
      const reply = { statusCode: 201, header: () => reply };
      const caller = { userId, role: 'user' } as const;
      const request = new IdempotentRequest(caller, 'chosen-twice', Buffer.alloc(32), reply as never);
      return ask(channelId, userId, '1.00', request);
    });
    return (await Promise.all(asked)).map(({ id }) => id);
  };
  const ids = await askAll();
  expect(new Set(ids).size).toBe(2);
  expect(await askAll()).toEqual(ids);
});

it('requests beyond what a user may withdraw alone wait for a second person, while others do not', async () => {
  const channelId = await channelOf();
  const users = await crowdOf('reviewed', 6);
  for (const user of users) await books.deposit(user, 100_00n);
  const requests = users.map((user) => requestOf(user, 'user'));
  const amounts = users.map((_, i) => (i % 2 ? '50.01' : '50.00'));
  const states = await Promise.all(
    users.map((user, i) => resultOf(ask(channelId, user, amounts[i], requests[i]))),
  );
  expect(states).toEqual(users.map((_, i) => (i % 2 ? 'review' : 'reserved')));
  expect(requests.map(({ status }) => status)).toEqual(users.map((_, i) => (i % 2 ? 202 : 200)));
  expect(await Promise.all(users.map((user) => books.balance(user)))).toEqual(
    users.map((_, i) => (i % 2 ? 110_00n : 60_00n)),
  );
  const askedByTheirUsers = await books.dataSource.query<unknown[]>(
    `select from payout
       join approval on approval.action = 'payout.reserve' and source_id = payout.id
       join audit_log on audit_log.action = 'approval.ask' and subject = 'approval:' || approval.id
      where channel_id = $1 and asked_by = user_id and actor_id = user_id and terms->>'userId' = user_id`,
    [channelId],
  );
  expect(askedByTheirUsers).toHaveLength(3);
});
