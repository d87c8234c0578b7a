import { WonPacketsService } from '../../src/modules/grab/won-packets.service';
import type { Page, PageQuery } from '../../src/platform/http';
import type { EntryDto } from '../../src/modules/wallet/wallet.dto';
import { type Books, openBooks } from '../harness/books';

let books: Books;
let close: () => Promise<void>;
let packets: WonPacketsService;

beforeAll(async () => {
  ({ books, close } = await openBooks());
  packets = new WonPacketsService(books.activities, books.wonPackets, books.currency);
});

afterEach(async () => {
  expect(await books.broken()).toEqual([]);
});

afterAll(() => close());

/** Makes one rain for each packet that the user wins, and returns the ids of the claims. */
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

  it.each(LIMITS)('are all there, newest first, in pages of %i', async (limit) => {
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

  it('go on where they were when something is paid meanwhile', async () => {
    const before = await all(entries(), 100);
    const first = await books.wallets.entries('eve', { limit: 4 });
    await books.settlement.settle(await win('eve', 1));
    const rest = await books.wallets.entries('eve', { limit: 100, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items]).toEqual(before);
  });
});

describe('a page of a long wallet with a filter', () => {
  /** Credits and deposits by turns, one of each an hour. */
  const EACH = 1_000;
  const LOOKED_AT_MAX = 200;
  const hour = (i: number): string => new Date(Date.UTC(2030, 0, 1, i)).toISOString();
  let long: Books;
  let closeLong: () => Promise<void>;

  beforeAll(async () => {
    ({ books: long, close: closeLong } = await openBooks());
    await long.deposit('zoe', 100n);
    await long.dataSource.query(`select setval('activity_id_seq', ${EACH})`);
    await long.dataSource.query(
      `with wallet as (select id from account where owner_id = 'zoe' and kind = 'wallet'),
            funding as (select id from account where kind = 'funding'),
            hours as (select i, '2030-01-01Z'::timestamptz + i * interval '1 hour' as at from generate_series(1, ${EACH}) as i),
            claims as (insert into claim (id, activity_id, packet_no, user_id, amount_minor) select i, i, 1, 'zoe', 1 from hours),
            latest as (update account set last_credit_in = ${EACH} where owner_id = 'zoe')
       insert into transfer (id, kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor,
                             previous_credit_in, created_at)
       select 1000 + 2 * i, 'credit', i, i, funding.id, wallet.id, 1, nullif(i - 1, 0), at from hours, funding, wallet
       union all
       select 1001 + 2 * i, 'deposit', i + 1000, null, funding.id, wallet.id, 1, null, at from hours, funding, wallet`,
    );
  });
  afterAll(() => closeLong());

  /** Reads all pages, and counts the rows that came from Postgres for each. */
  async function walk(filter: object) {
    const queries = jest.spyOn(long.dataSource, 'query');
    const lines: EntryDto[] = [];
    const rows: number[] = [];
    for (let cursor: string | undefined; ;) {
      queries.mockClear();
      const page = await long.wallets.entries('zoe', { limit: 20, cursor, ...filter });
      const found = await Promise.all(queries.mock.results.map(({ value }) => value as Promise<unknown[]>));
      rows.push(found.reduce((sum, { length }) => sum + length, 0));
      lines.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    queries.mockRestore();
    return { lines: lines.map(({ kind, at }) => `${kind} ${at}`), rows };
  }

  const both = (i: number) => [`deposit ${hour(i)}`, `credit ${hour(i)}`];

  it('looks at few lines, ends early, and goes on with its cursor until all are found in their order', async () => {
    const { lines, rows } = await walk({ to: hour(30), from: hour(3) });
    expect(lines).toEqual(Array.from({ length: 27 }, (_, i) => both(29 - i)).flat());
    expect(Math.max(...rows)).toBeLessThanOrEqual(2 * LOOKED_AT_MAX + 1);
    expect(rows.length).toBeGreaterThanOrEqual(EACH / LOOKED_AT_MAX);
  });

  it('finds a kind that has few lines among many', async () => {
    await long.activity({ packets: 1, sponsorId: 'zoe' });
    const { lines, rows } = await walk({ kind: 'credit', to: hour(2) });
    expect(lines).toEqual([`credit ${hour(1)}`]);
    expect(Math.max(...rows)).toBeLessThanOrEqual(LOOKED_AT_MAX + 1);
    expect((await walk({ kind: 'fund' })).lines).toHaveLength(1);
  });

  it('does not walk on to what is older than asked for', async () => {
    const { lines, rows } = await walk({ from: hour(EACH - 4), kind: 'credit' });
    expect(lines).toEqual([0, 1, 2, 3, 4].map((i) => `credit ${hour(EACH - i)}`));
    expect(rows).toHaveLength(1);
  });

  it('finds the lines of one activity at once', async () => {
    const activityId = await long.activity({ packets: 1, sponsorId: 'zoe' });
    const { lines, rows } = await walk({ activityId });
    expect(lines).toEqual([expect.stringContaining('fund ')]);
    expect(rows).toEqual([expect.any(Number)]);
    expect(rows[0]).toBeLessThan(5);
    expect((await walk({ activityId: '7' })).lines).toEqual([`credit ${hour(7)}`]);
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

  it.each(LIMITS)('are all there in every state, newest first, in pages of %i', async (limit) => {
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
    });
  });
});

it('credits of one wallet that are paid by many workers at once are one chain', async () => {
  const claimIds = await win('gus', 24);
  const batches = Array.from({ length: 8 }, (_, i) => claimIds.filter((_id, place) => place % 8 === i));
  await Promise.all(batches.map((batch) => books.settlement.settle(batch)));
  const lines = await all((page) => books.wallets.entries('gus', page), 7);
  expect(lines).toHaveLength(24);
});

it('a cursor that names an activity that never was ends the list', async () => {
  const cursor = Buffer.from('after:9223372036854775807.0').toString('base64url');
  for (const page of [
    await books.wallets.entries('eve', { limit: 100, cursor }),
    await packets.ofUser('eve', { limit: 100, cursor }),
  ])
    expect(page).toMatchObject({ nextCursor: null });
});

it.each(['x', '1', '1.', '.1', '1.2.3', '-1.0', '9999999999999999999.0', '0.9999999999999999999'])(
  'a cursor of %s is refused, which names the field',
  async (place) => {
    const cursor = Buffer.from(`after:${place}`).toString('base64url');
    const refused = { fields: [{ field: 'cursor', message: 'is not a cursor of this list' }] };
    await expect(books.wallets.entries('eve', { limit: 1, cursor })).rejects.toMatchObject(refused);
    await expect(packets.ofUser('eve', { limit: 1, cursor })).rejects.toMatchObject(refused);
  },
);
