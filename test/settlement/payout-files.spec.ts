import { requestOf } from '../harness/books';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

const AT = '2020-01-31T12:00:00.000Z';

let channelId: string;

// A test may have left a finding open on purpose.
proveBooks({ except: ['I18'] });
shareBooks({ APPROVAL_ABOVE: '50.00' });

beforeEach(async () => {
  channelId = await books.createChannel();
});

async function ask(userId: string, amount = '1.00', channel = channelId): Promise<string> {
  await books.deposit(userId, 100_00n);
  return (await books.askForPayout(userId, channel, amount)).id;
}

async function paid(userId: string): Promise<string> {
  const id = await ask(userId);
  await books.report(channelId, { id, outcome: 'paid' });
  return id;
}

const take = (day: string, ...lines: string[]) => books.handIn(channelId, day, ...lines);

const lineOf = (id: string, userId: string, more: { amount?: string; state?: string; at?: string } = {}) =>
  [id, userId, more.amount ?? '1.00', more.state ?? 'paid', more.at ?? AT].join(',');

async function kinds(): Promise<string[]> {
  const { items } = await books.findings.list({ state: 'open', channelId, limit: 100 });
  return items.map(({ kind }) => kind).sort();
}

it('a payout under review was never sent, so a line about it is a finding and posts nothing', async () => {
  const id = await ask('reviewed', '60.00');
  await take('2020-02-01', lineOf(id, 'reviewed', { amount: '60.00' }));
  expect([await kinds(), (await books.payouts.read(id)).state]).toEqual([['never-sent'], 'review']);
});

it('a payout of another channel was never sent through this one', async () => {
  const id = await ask('elsewhere', '1.00', await books.createChannel());
  await take('2020-02-01', lineOf(id, 'elsewhere'));
  expect([await kinds(), (await books.payouts.read(id)).state]).toEqual([['never-sent'], 'reserved']);
});

it('a payment that a later file repeats is the same payment if its time is the same, and otherwise a second one', async () => {
  const id = await paid('repeated');
  await take('2020-02-01', lineOf(id, 'repeated'));
  await take('2020-02-02', lineOf(id, 'repeated'));
  expect(await kinds()).toEqual([]);
  await take('2020-02-03', lineOf(id, 'repeated', { at: '2020-01-31T12:00:01.000Z' }));
  expect(await kinds()).toEqual(['paid-twice']);
});

it.each(['1.01', '10.0', '0.1', '100'])(
  'a line of %s instead of 1.00 differs, and posts nothing',
  async (amount) => {
    const id = await ask(`over-${amount}`);
    await take('2020-02-01', lineOf(id, `over-${amount}`, { amount }));
    expect([await kinds(), (await books.payouts.read(id)).state]).toEqual([['file-differs'], 'reserved']);
  },
);

it('a finding about one step of a payout is not ended by a line about another step', async () => {
  const id = await paid('two-steps');
  await take('2020-02-01', lineOf(id, 'two-steps', { amount: '2.00', state: 'returned' }));
  await take('2020-02-02', lineOf(id, 'two-steps'));
  expect(await kinds()).toEqual(['file-differs']);
  await take('2020-02-03', lineOf(id, 'two-steps', { state: 'returned' }));
  expect(await kinds()).toEqual([]);
});

it('a payment that is in no file is reported missing, unless the channel has returned it', async () => {
  const [missing, returned] = [await paid('missing'), await paid('returned')];
  await books.report(channelId, { id: returned, outcome: 'returned' });
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const ended = `update payout set ended_at = now() - interval '2 days' where channel_id = $1`;
  await books.dataSource.transaction(async (tx) => {
    await tx.query('alter table payout disable trigger user');
    await tx.query(ended, [channelId]);
    await tx.query('alter table payout enable trigger user');
  });
  await take(dayAgo(3));
  expect((await take(dayAgo(1))).found).toBe(1);
  const { items } = await books.findings.list({ state: 'open', channelId, limit: 100 });
  expect(items).toMatchObject([{ kind: 'paid-but-missing', payoutId: missing }]);
});

it('a file of another channel with the same bytes has a result of its own', async () => {
  const first = await take('2020-02-01');
  channelId = await books.createChannel();
  const other = await take('2020-02-01');
  expect(other.statementId).not.toBe(first.statementId);
  expect(await take('2020-02-01')).toEqual(other);
});

it('a file with more than 10,000 lines that differ is not read to its end', async () => {
  const lines = Array.from({ length: 10_001 }, (_, i) => lineOf(String(900_000_000 + i), 'stranger'));
  expect(await codeOf(take('2020-02-01', ...lines))).toBe('payout_statement.too_wrong');
});

it('a finding about a payment to the person who would end it is left to another person, even if the line names no payout of ours', async () => {
  await take('2020-02-01', lineOf('900000001', 'fin'), lineOf('900000002', 'stranger'));
  const { items } = await books.findings.list({ state: 'open', channelId, limit: 10 });
  const { id, statementId } = items.find(({ detail }) => (detail as { userId: string }).userId === 'fin')!;
  expect(await codeOf(books.findings.end(requestOf('fin'), id, 'It is mine.'))).toBe('payout.own');
  const ended = await books.findings.endOfFile(requestOf('fin'), statementId!, 'A wrong file.');
  expect(ended).toEqual({ ended: 1, left: 1 });
  expect(await codeOf(books.findings.end(requestOf('another'), id, 'A wrong file.'))).toBe('done');
});

it('a finding about a payment is left to another person than its user, even if the line names somebody else', async () => {
  const id = await paid('paid-to-fin');
  const { statementId } = await take('2020-02-01', lineOf(id, 'somebody-else'));
  const { items } = await books.findings.list({ state: 'open', channelId, limit: 10 });
  expect(items).toMatchObject([{ kind: 'file-differs', payoutId: id }]);
  const own = requestOf('paid-to-fin');
  expect(await codeOf(books.findings.end(own, items[0]!.id, 'It is mine.'))).toBe('payout.own');
  expect(await books.findings.endOfFile(requestOf('paid-to-fin'), statementId, 'A wrong file.')).toEqual({
    ...{ ended: 0, left: 1 },
  });
});

it('whoever takes over a finding or ends it is on record, with what they said', async () => {
  const id = await paid('on-record');
  await take('2020-02-01', lineOf(id, 'on-record', { amount: '2.00' }));
  const { items } = await books.findings.list({ state: 'open', channelId, limit: 10 });
  const findingId = items[0]!.id;
  for (const owner of ['fin-1', 'fin-2']) await books.findings.own(requestOf(owner), findingId);
  await books.findings.end(requestOf('fin-3'), findingId, 'A slip of the shop.');
  const deeds = await books.dataSource.query(
    `select actor_id as actor, action, before, after, detail from audit_log where subject = $1 order by id`,
    [`payout-finding:${findingId}`],
  );
  const owned = { action: 'payout-finding.own', detail: {} };
  expect(deeds).toEqual([
    { ...owned, actor: 'fin-1', before: { owner: null }, after: { owner: 'fin-1' } },
    { ...owned, actor: 'fin-2', before: { owner: 'fin-1' }, after: { owner: 'fin-2' } },
    {
      ...{
        actor: 'fin-3',
        action: 'payout-finding.end',
        before: {},
        after: { resolution: 'A slip of the shop.' },
      },
      detail: { payoutId: id, kind: 'file-differs' },
    },
  ]);
});
