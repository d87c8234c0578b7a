import {
  type ActivityFilter,
  ActivityRepository,
  NAMES_LOOKED_AT_MAX,
} from '../../src/core/activity/activity.repository';
import { ApprovalRepository } from '../../src/extensions/approval/approval.repository';
import type { EntryDto } from '../../src/core/wallet/wallet.dto';
import { DueRepository } from '../../src/extensions/payout/send/due.repository';
import { rowsRead } from '../harness/rows-read';
import { books, shareBooks } from '../harness/shared-books';

/** A page with a filter must cost about as much as a page without. These books do not balance. */
shareBooks();

describe('a page of a long wallet with a filter', () => {
  /** Alternating credits and deposits, one of each per hour. */
  const EACH = 1_000;
  const LOOKED_AT_MAX = 200;
  const hour = (i: number): string => new Date(Date.UTC(2030, 0, 1, i)).toISOString();

  beforeAll(async () => {
    await books.deposit('zoe', 100n);
    await books.dataSource.query(`select setval('activity_id_seq', ${EACH})`);
    await books.dataSource.query(
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

  /** Reads all pages, and counts the rows that came from Postgres for each. */
  async function walk(filter: object) {
    const queries = jest.spyOn(books.dataSource, 'query');
    const lines: EntryDto[] = [];
    const rows: number[] = [];
    for (let cursor: string | undefined; ;) {
      queries.mockClear();
      const page = await books.wallets.entries('zoe', { limit: 20, cursor, ...filter });
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

  it('reads few lines, may end early, and continues from its cursor until all are found in order', async () => {
    const { lines, rows } = await walk({ to: hour(30), from: hour(3) });
    expect(lines).toEqual(Array.from({ length: 27 }, (_, i) => both(29 - i)).flat());
    expect(Math.max(...rows)).toBeLessThanOrEqual(2 * LOOKED_AT_MAX + 1);
    expect(rows.length).toBeGreaterThanOrEqual(EACH / LOOKED_AT_MAX);
  });

  it('finds a kind that has few lines among many', async () => {
    await books.activity({ packets: 1, sponsorId: 'zoe' });
    const { lines, rows } = await walk({ kind: 'credit', to: hour(2) });
    expect(lines).toEqual([`credit ${hour(1)}`]);
    expect(Math.max(...rows)).toBeLessThanOrEqual(LOOKED_AT_MAX + 1);
    expect((await walk({ kind: 'fund' })).lines).toHaveLength(1);
  });

  it('does not read on to lines that are older than requested', async () => {
    const { lines, rows } = await walk({ from: hour(EACH - 4), kind: 'credit' });
    expect(lines).toEqual([0, 1, 2, 3, 4].map((i) => `credit ${hour(EACH - i)}`));
    expect(rows).toHaveLength(1);
  });

  it('finds the lines of one activity at once', async () => {
    const activityId = await books.activity({ packets: 1, sponsorId: 'zoe' });
    const { lines, rows } = await walk({ activityId });
    expect(lines).toEqual([expect.stringContaining('fund ')]);
    expect(rows).toEqual([expect.any(Number)]);
    expect(rows[0]).toBeLessThan(5);
    expect((await walk({ activityId: '7' })).lines).toEqual([`credit ${hour(7)}`]);
  });
});

describe('a page of activities in one phase', () => {
  /** The older half is active, the newer half has ended. They belong to ann and bob in turn. */
  const EACH = 2_000;

  beforeAll(async () => {
    const template = await books.activity({ packets: 1, sponsorId: 'ann' });
    const columns = await columnsOf('activity');
    const other: Record<string, string> = {
      escrow_account_id: 'account.id',
      name: `case when i = 1 then 'Needle' else 'Hay' end`,
      sponsor_id: `case when i % 2 = 0 then 'ann' else 'bob' end`,
      status: `case when i <= ${EACH} then 'active' else 'cancelled' end`,
      closed_at: `case when i > ${EACH} then now() end`,
    };
    const values = columns.map((column) => other[column] ?? `activity.${column}`);
    await books.dataSource.query(
      `insert into account (owner_id, kind, currency) select 'copy ' || i, 'escrow', 'CNY' from generate_series(1, ${2 * EACH}) as i`,
    );
    await books.dataSource.query(
      `insert into activity (${columns.join(', ')})
       select ${values.join(', ')}
         from generate_series(1, ${2 * EACH}) as i
         join account on owner_id = 'copy ' || i
        cross join activity where activity.id = $1 order by i`,
      [template],
    );
    await books.dataSource.query(
      `insert into packet_batch (activity_id, batch_no, first_no, sponsor_id, place, terms, commitment, root, upper_rows)
       select activity.id, 0, 1, 'copied', activity.id, '{}', commitment, root, upper_rows
         from activity join packet_batch on activity_id = $1
          where not exists (select from packet_batch where activity_id = activity.id)`,
      [template],
    );
    await books.dataSource.query('analyze activity, account');
  });

  async function columnsOf(table: string): Promise<string[]> {
    const rows = await books.dataSource.query<{ name: string }[]>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'id'`,
      [table],
    );
    return rows.map(({ name }) => name);
  }

  const list = (filter: ActivityFilter) =>
    books.undoing(async (tx) => {
      const before = await rowsRead(tx, 'activity');
      const batchesBefore = await rowsRead(tx, 'packet_batch');
      const found = await new ActivityRepository(tx as never).list(filter, undefined, 100);
      expect((await rowsRead(tx, 'activity')) - before).toBeLessThan(300);
      expect((await rowsRead(tx, 'packet_batch')) - batchesBefore).toBeLessThan(300);
      return found;
    });

  it('reads few activities that are not active, even for one sponsor, when all others are newer', async () => {
    expect(await list({ isActive: true })).toHaveLength(100);
    expect(await list({ isActive: true, sponsorId: 'ann' })).toHaveLength(100);
    expect(await list({ isActive: true, sponsorId: 'nobody' })).toEqual([]);
  });

  it('reads few names, and continues from its cursor until the oldest is found', async () => {
    let found: Awaited<ReturnType<ActivityRepository['named']>>;
    let pages = 0;
    for (let before: string | undefined; ; before = found.lookedTo!) {
      found = await books.undoing(async (tx) => {
        const earlier = await rowsRead(tx, 'activity');
        const named = await new ActivityRepository(tx as never).named('needle', {}, before, 100);
        expect((await rowsRead(tx, 'activity')) - earlier).toBeLessThan(2 * NAMES_LOOKED_AT_MAX + 100);
        return named;
      });
      pages++;
      if (found.ids.length > 0 || found.lookedTo === null) break;
    }
    expect([found.ids.length, pages]).toEqual([1, 2]);
  });

  it('reads few activities that have not ended when all others are newer, and finds a name on a later page', async () => {
    await books.dataSource.query(
      `update activity set status = case status when 'active' then 'cancelled' else 'active' end,
                           closed_at = case when closed_at is null then now() end`,
    );
    await books.dataSource.query('vacuum analyze activity');
    expect(await list({ isActive: false })).toHaveLength(100);
    // The activity with the name is now among those, so that its phase does not need Redis.
    const first = await books.activityLists.list({ limit: 20, name: 'needle' }, undefined);
    const second = await books.activityLists.list(
      { limit: 20, name: 'needle', cursor: first.nextCursor! },
      undefined,
    );
    expect([first, second].map(({ items }) => items.map(({ name }) => name))).toEqual([[], ['Needle']]);
  });
});

describe('a page with a filter reads only its own rows', () => {
  async function expectNoOthers(from: string): Promise<void> {
    const [{ 'QUERY PLAN': plans }] = await books.dataSource.query(
      `explain (analyze, format json) select * from ${from} and id < 1000000 order by id desc limit 101`,
    );
    expect(JSON.stringify(plans)).not.toMatch(/"Rows Removed by [ \w]+":[1-9]/);
  }

  it('of the audit log, by its subject or its actor', async () => {
    await books.dataSource.query(
      `insert into audit_log (actor_id, action, subject)
       select 'person:' || i % 2000, 'wallet.freeze', 'person:' || i % 2000 from generate_series(1, 20000) as i`,
    );
    await books.dataSource.query('analyze audit_log');
    for (const column of ['subject', 'actor_id'])
      await expectNoOthers(`audit_log where ${column} = 'person:7'`);
  });

  it('of payouts whose money came back', async () => {
    const id = await books.createChannel();
    await books.dataSource.query(
      `insert into payout (channel_id, user_id, wallet_account_id, amount_minor, state, day, ended_at)
       select $1, 'u' || i, 1, 710, case i when 7 then 'refused' when 8 then 'returned' else 'paid' end, now(), now()
         from generate_series(1, 20000) as i`,
      [id],
    );
    await books.dataSource.query('analyze payout');
    for (const state of ['refused', 'returned']) await expectNoOthers(`payout where state = '${state}'`);
  });

  it('of payouts that are due, before Postgres has counted those that wait', async () => {
    const id = await books.createChannel({}, { url: 'https://crowd.example' });
    const found = await books.undoing(async (tx) => {
      await tx.query(
        `with crowd as (
           insert into account (owner_id, kind, currency)
           select 'crowd-' || i, 'wallet', 'CNY' from generate_series(1, 4000) as i returning id, owner_id
         )
         insert into payout (channel_id, user_id, wallet_account_id, amount_minor, state, day)
         select $1, owner_id, id, 1, 'reserved', now() from crowd`,
        [id],
      );
      const before = await rowsRead(tx, 'payout');
      const times = { keyLifetimeSeconds: 60, quarantineSeconds: 60 };
      const wanted = { wasSent: false, paysNothing: false, inTrouble: false, newestFirst: false };
      const due = await new DueRepository().findDue(tx, id, 100, times, wanted);
      expect((await rowsRead(tx, 'payout')) - before).toBeLessThan(1_000);
      return due;
    });
    expect(found).toHaveLength(100);
  });

  it('of pending approvals, among many that have lapsed', async () => {
    await books.dataSource.query(
      `insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, expires_at)
       select 'wallet.deposit', 'person', i, 1, '{}', 'operator',
              now() + case when i % 10000 = 0 then interval '1 day' else interval '-1 day' end
         from generate_series(1, 20000) as i`,
    );
    await books.dataSource.query('analyze approval');
    const found = await books.undoing(async (tx) => {
      const pending = await new ApprovalRepository(tx as never).list('pending', undefined, 100);
      expect(await rowsRead(tx, 'approval')).toBeLessThan(20);
      return pending;
    });
    expect(found.map(({ sourceId }) => sourceId)).toEqual(['20000', '10000']);
  });
});
