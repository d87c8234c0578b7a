import { must } from '../../libs/problem';
import { WonPacketsService } from '../../src/core/winners/won-packets.service';
import type { Page, PageQuery } from '../../src/platform/http';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

let packets: WonPacketsService;

proveBooks();
shareBooks();

beforeAll(async () => {
  packets = books.serviceOf(WonPacketsService);
});

/** Lets a user win a packet in each of several rains; returns the ids of the claims. */
async function win(userId: string, times: number): Promise<string[]> {
  const claimIds: string[] = [];
  for (let i = 0; i < times; i++)
    claimIds.push(...(await books.claim(await books.activity({ packets: 2 }), [userId])));
  return claimIds;
}

async function all<Item>(read: (page: PageQuery) => Promise<Page<Item>>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read({ limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    expect(page.items).toHaveLength(limit);
    cursor = page.nextCursor;
  }
}

const LIMITS = [1, 2, 3, 5, 100];

describe('the entries of a wallet', () => {
  /** Writes credits, deposits and payments to activities, in this order. */
  beforeAll(async () => {
    for (const claimId of await win('eve', 3)) await books.settlement.settle([claimId]);
    await books.deposit('eve', 700n);
    await books.settlement.settle(await win('eve', 4));
    await books.activity({ packets: 1, sponsorId: 'eve' });
    await books.settlement.settle(await win('eve', 1));
  });

  const entries =
    (filter: object = {}) =>
    (page: PageQuery) =>
      books.wallets.entries('eve', { ...page, ...filter });

  it.each(LIMITS)('are complete, newest first, in pages of %i', async (limit) => {
    const lines = await all(entries(), limit);
    const kinds = lines.map(({ kind }) => kind);
    const credits = (times: number) => Array.from({ length: times }, () => 'credit');
    expect(kinds).toEqual([...credits(1), 'fund', 'deposit', ...credits(4), 'deposit', ...credits(3)]);
    const ids = lines.map(({ transferId }) => Number(transferId));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(LIMITS)('are found by kind, by activity and by time, in pages of %i', async (limit) => {
    const lines = await all(entries(), 100);
    const credits = lines.filter(({ kind }) => kind === 'credit');
    expect(await all(entries({ kind: 'credit' }), limit)).toEqual(credits);
    expect(await all(entries({ kind: 'fund' }), limit)).toEqual(lines.filter(({ kind }) => kind === 'fund'));
    const { activityId, at } = credits[3]!;
    expect(await all(entries({ activityId }), limit)).toEqual([credits[3]]);
    expect(await all(entries({ activityId, kind: 'refund' }), limit)).toEqual([]);
    expect(await all(entries({ to: at }), limit)).toEqual(lines.filter((line) => line.at < at));
    expect(await all(entries({ from: at }), limit)).toEqual(lines.filter((line) => line.at >= at));
  });

  it('continue where they were if a payment arrives in the meantime', async () => {
    const before = await all(entries(), 100);
    const first = await books.wallets.entries('eve', { limit: 4 });
    await books.settlement.settle(await win('eve', 1));
    const rest = await books.wallets.entries('eve', { limit: 100, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items]).toEqual(before);
  });
});

describe('the packets of a user', () => {
  let expected: string[];

  /** Makes claims in every state: paid, dead, void and unpaid. */
  beforeAll(async () => {
    const [early, dead, voided, ...late] = await win('fay', 7);
    const paid = await win('fay', 3);
    await books.settlement.settle([early!]);
    await books.setStatus('fay', 'frozen');
    await books.settlement.settle([dead!, voided!]);
    const letters = await books.letters.list('open', undefined, 10);
    await books.declareVoid(letters.find(({ claimId }) => claimId === voided)!.id);
    await books.setStatus('fay', 'active');
    await books.settlement.settle(paid);
    expected = [
      'credited',
      'credited',
      'credited',
      ...late.map(() => 'pending'),
      'void',
      'dead-letter',
      'credited',
    ];
  });

  it.each(LIMITS)('are complete in every state, newest first, in pages of %i', async (limit) => {
    const won = await all((page) => packets.ofUser('fay', page), limit);
    expect(won.map(({ settlement }) => settlement)).toEqual(expected);
    expect(new Set(won.map(({ redPacketId }) => redPacketId)).size).toBe(expected.length);
    expect(
      won.every(({ creditedAt, settlement }) => (creditedAt !== null) === (settlement === 'credited')),
    ).toBe(true);
  });

  it('stay complete when a dead letter is replayed and paid', async () => {
    const letter = (await books.letters.list('open', undefined, 1))[0]!;
    await books.settlement.settle([(await books.replay(letter.id))!]);
    const won = await all((page) => packets.ofUser('fay', page), 2);
    expect(won.map(({ settlement }) => settlement).sort()).toEqual(
      [...expected.filter((state) => state !== 'dead-letter'), 'credited'].sort(),
    );
  });

  it('are an empty list for a user who has won nothing', async () => {
    expect(await packets.ofUser('nobody', { limit: 10 })).toEqual({
      items: [],
      nextCursor: null,
      archived: false,
      totals: [],
    });
  });
});

it('credits of one wallet that are paid by many workers at once form one chain', async () => {
  const claimIds = await win('gus', 24);
  const batches = Array.from({ length: 8 }, (_, i) => claimIds.filter((_id, place) => place % 8 === i));
  await Promise.all(batches.map((batch) => books.settlement.settle(batch)));
  const lines = await all((page) => books.wallets.entries('gus', page), 7);
  expect(lines).toHaveLength(24);
});

it('a cursor that names an activity that never existed ends the list', async () => {
  const cursor = Buffer.from('after:9223372036854775807.0').toString('base64url');
  for (const page of [
    await books.wallets.entries('eve', { limit: 100, cursor }),
    await packets.ofUser('eve', { limit: 100, cursor }),
  ])
    expect(page).toMatchObject({ nextCursor: null });
});

it.each(['x', '1', '1.', '.1', '1.2.3', '-1.0', '9999999999999999999.0', '0.9999999999999999999'])(
  'a cursor of %s is refused with the name of the field',
  async (place) => {
    const cursor = Buffer.from(`after:${place}`).toString('base64url');
    const refused = { fields: [{ field: 'cursor', ...must.beA('cursor') }] };
    await expect(books.wallets.entries('eve', { limit: 1, cursor })).rejects.toMatchObject(refused);
    await expect(packets.ofUser('eve', { limit: 1, cursor })).rejects.toMatchObject(refused);
  },
);
