import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { EntityManager } from 'typeorm';
import { ArchiveDirectory } from '../../src/extensions/archive/archive-directory';
import { ArchiveRepository } from '../../src/extensions/archive/archive.repository';
import { ExportService } from '../../src/extensions/export/export.service';
import { GrabListService } from '../../src/core/winners/grab-list.service';
import { WonPacketsService } from '../../src/core/winners/won-packets.service';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { Books, OPERATOR } from '../harness/books';
import { type Rows, unseenEdits } from '../harness/edits';
import { waitFor } from '../harness/engines';
import { books, rain, startRain } from '../harness/shared-books';
import { archiveInto, proofOf } from './archiving';
import { crashIn, type Steps, stepsOf } from './crash';
import { broken, dataSourceIn, verificationOver, within } from './verifying';

const [FILES, RECORDS] = [ArchiveDirectory, ArchiveRepository].map(stepsOf);

let directory: string;
let old: string;
let recent: string;

/** Makes a finished partition with a void claim, and with a credit to which a later credit refers. */
async function setUp(): Promise<void> {
  await startRain();
  directory = mkdtempSync(join(tmpdir(), 'hongbao-archive-'));
  await books.deposit('cem', 1n);
  await books.setStatus('cem', 'frozen');
  old = await play('ann', 'bob', 'cem');
  await books.dataSource.query(`select setval('activity_id_seq', 9999)`);
  recent = await play('ann');
  await books.dataSource.query(`select setval('activity_id_seq', 20000)`);
  await age(old, '400 days');
  await verificationOver().verifyUnsealed();
}

async function tearDown(): Promise<void> {
  rmSync(directory, { recursive: true });
  await rain.stop();
}

/** Plays a rain that counts wins, from its creation to its end. */
async function play(...users: string[]): Promise<string> {
  const id = await books.activity({ packets: 3, totalMinor: 900n, limits: { perUser: 9 } });
  await books.settlement.settle(await books.claim(id, users));
  for (const letter of await books.letters.list('open', undefined, 10)) await books.declareVoid(letter.id);
  await rain.loader.load(id);
  await rain.end(id);
  return id;
}

/** Makes an activity closed for this long, and forgotten by Redis. */
const age = (id: string, interval: string) =>
  books.dataSource.query(
    `update activity set closed_at = now() - $2::interval, tidied_at = now(), forgotten_at = now() where id = $1`,
    [id, interval],
  );

const archive = () => archiveInto(directory);

const FILE = 'activities-0-9999.ndjson.gz';
const file = () => join(directory, FILE);
const prove = (dataSource = books.dataSource) => proofOf(file(), dataSource);

const crash = (steps: Steps, step: string, when: string) => crashIn(archive, steps, step, when);

const WHEN = ['before', 'after'];

async function expectArchived(): Promise<void> {
  expect(await broken()).toEqual([]);
  expect(await prove()).toEqual({ examined: 10, faults: [] });
  const kept = await books.dataSource.query<{ id: string }[]>(
    `select activity_id as id from packet union select activity_id from claim union
     select activity_id from transfer where kind = 'credit' union select activity_id from dead_letter`,
  );
  expect(kept).toEqual([{ id: recent }]);
  const tables = await books.dataSource.query<unknown[]>(
    `select from pg_class where relname in ('packet_0', 'claim_0', 'transfer_credit_0')`,
  );
  expect(tables).toEqual([]);
}

describe('archiving', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  it('moves finished activities to a file that is proven, and all invariants hold for the rest', async () => {
    const balance = await books.balance('ann');
    expect(await archive()).toEqual([FILE]);
    await expectArchived();
    expect(await books.balance('ann')).toBe(balance);
    const [{ wins }]: [{ wins: number }] = await books.dataSource.query(
      `select wins from win_count where user_id = 'ann'`,
    );
    expect(wins).toBe(2);
    expect(await archive()).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['closed too recently', () => age(old, '364 days')],
    [
      'still known to Redis',
      () => books.dataSource.query(`update activity set forgotten_at = null where id = $1`, [old]),
    ],
    [
      'next to an activity that is not sealed',
      () =>
        books.dataSource.query(
          `alter table seal disable trigger append_only; delete from seal where activity_id = ${old}`,
        ),
    ],
    [
      'in a range where new activities may be added',
      () => books.dataSource.query(`select setval('activity_id_seq', 9999)`),
    ],
  ])('leaves alone activities %s', async (_, make) => {
    await make();
    expect(await archive()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(
    WHEN.flatMap((when) => [
      [when, 'write', FILES!] as const,
      ...['record', 'detach', 'drop'].map((step) => [when, step, RECORDS!] as const),
    ]),
  )('continues after a crash %s it could %s', async (when, step, steps) => {
    await crash(steps, step, when);
    expect(await broken()).toEqual([]);
    expect(await archive()).toEqual([FILE]);
    await expectArchived();
  });

  it('is seen completely or not at all by a verification that reads balances while a partition is detached', async () => {
    await crash(RECORDS!, 'detach', 'before');
    const archives = new ArchiveRepository(books.dataSource);
    const [record] = await archives.unfinished();
    const snapshots = stepsOf(VerificationService);
    const { snapshot } = snapshots;
    let release: (() => Promise<void>) | undefined;
    const spy = jest.spyOn(snapshots, 'snapshot').mockImplementationOnce(async function (
      this: unknown,
      ...args
    ) {
      const answer = await snapshot!.apply(this, args);
      release = await books.hold((tx) => archives.detach(tx, record!));
      return answer;
    });
    const found = broken();
    await waitFor(async () => release && (await books.blocked()).length > 0, {
      what: 'a verification that waits',
    });
    await release!();
    expect(await found).toEqual([]);
    spy.mockRestore();
  });

  it('does not stop winners if its host vanishes while a partition is detached', async () => {
    const { detach } = RECORDS!;
    let comeBack = () => {};
    const vanished = new Promise<void>((resolve) => (comeBack = resolve));
    const hasWorked = jest.fn();
    const spy = jest.spyOn(RECORDS!, 'detach').mockImplementationOnce(async function (
      this: unknown,
      ...args
    ) {
      await detach!.apply(this, args);
      hasWorked();
      await vanished;
    });
    const activityId = await books.activity({ packets: 1 });
    const archived = archive();
    await waitFor(() => hasWorked.mock.calls.length > 0, { what: 'the lock' });
    const others = await Books.of(books.config.DATABASE_URL, {}, false);
    expect(await others.claim(activityId, ['bob'])).toHaveLength(1);
    await others.close();
    comeBack();
    await expect(archived).rejects.toThrow();
    spy.mockRestore();
    expect(await archive()).toEqual([FILE]);
    expect(await broken()).toEqual([]);
  });

  it('is refused while another archiving runs, which would write the same files', async () => {
    let second: Promise<unknown> | undefined;
    const snapshot = RECORDS!.snapshot!;
    const spy = jest.spyOn(RECORDS!, 'snapshot').mockImplementationOnce(async function (
      this: unknown,
      ...args
    ) {
      second = archive();
      await expect(second).rejects.toThrow('Another archive is running.');
      return snapshot.apply(this, args);
    });
    expect(await archive()).toEqual([FILE]);
    spy.mockRestore();
    expect(second).toBeDefined();
    await expectArchived();
  });

  it('writes only what matches the seals', async () => {
    await books.dataSource.query(
      `update claim set user_id = 'eve' where activity_id = $1 and user_id = 'bob'`,
      [old],
    );
    await expect(archive()).rejects.toThrow(
      `Activity ${old} is not what was sealed: see npm run verify -- --all.`,
    );
    expect(readdirSync(directory)).toEqual([]);
    expect(await books.packetAmounts(old)).toHaveLength(4);
  });

  it.each<[string, string, () => void]>([
    ['damaged', 'detach', () => truncateSync(file(), statSync(file()).size >> 1)],
    ['of another installation', 'detach', () => copyFileSync(ofAnother(), file())],
    ['of another installation', 'record', () => copyFileSync(ofAnother(), file())],
  ])(
    'does not replace a file of the same name that is %s, after a crash before it could %s, and continues once that is moved away',
    async (_, step, replace) => {
      await crash(RECORDS!, step, 'before');
      replace();
      const found = readFileSync(file());
      await expect(archive()).rejects.toThrow(`${file()} differs from these rows. Move it away`);
      expect(readFileSync(file())).toEqual(found);
      rmSync(file());
      expect(await archive()).toEqual([FILE]);
      await expectArchived();
    },
  );

  function ofAnother(): string {
    const path = join(directory, 'other');
    writeFileSync(path, gzipSync('{"format":1,"firstActivityId":"0","beyondActivityId":"10000"}\n'));
    return path;
  }

  it('drops nothing if the rows differ from the file, and puts them back', async () => {
    const archives = new ArchiveRepository(books.dataSource);
    const detach = archives.detach.bind(archives);
    const spy = jest.spyOn(ArchiveRepository.prototype, 'detach').mockImplementation(async (tx, part) => {
      await tx.query(`update claim set user_id = 'eve' where activity_id = $1 and user_id = 'bob'`, [old]);
      await detach(tx, part);
    });
    await expect(archive()).rejects.toThrow(
      `${FILE} lacks what was written after it. The rows are back in their tables.`,
    );
    spy.mockRestore();
    expect(await books.packetAmounts(old)).toHaveLength(4);
  });

  it('prevents a partition from being created again in its place', async () => {
    await archive();
    await expect(books.creations.makePartitions(old)).rejects.toThrow(`activity ${old} is archived`);
  });

  it('does not prevent the next partitions from being created', async () => {
    await archive();
    await books.dataSource.query(`select setval('activity_id_seq', 29999)`);
    expect(await books.claim(await books.activity({ packets: 1 }), ['ann'])).toHaveLength(1);
  });
});

describe('a file of the archive', () => {
  let whole: Buffer;

  beforeAll(async () => {
    await setUp();
    await archive();
    whole = readFileSync(file());
  });
  afterEach(() => writeFileSync(file(), whole));
  afterAll(tearDown);

  const rewrite = (change: (text: string) => string): void =>
    writeFileSync(file(), gzipSync(change(gunzipSync(readFileSync(file())).toString())));

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'an amount',
      (text) => text.replace(/("credit".*"amount" : ")(\d)/, '$1$2$2'),
      /does not match its seal/,
    ],
    ['a user', (text) => text.replace('"ann"', '"eve"'), /digest/],
    ['a line less', (text) => text.replace(/\n[^\n]*"credit"[^\n]*/, ''), /credits are 1, not 2/],
  ])('is refused if it was changed by %s', async (_, change, fault) => {
    rewrite(change);
    expect((await prove()).faults.join(' ')).toMatch(fault);
  });

  /** Moves bob's money to ann in each table that records how much an account has. */
  async function shift(minor: number): Promise<void> {
    for (const [table, sum, account] of [
      ['account', 'balance_minor', 'id'],
      ['archive_balance', 'net_minor', 'account_id'],
      ['carried', 'net_minor', 'account_id'],
    ] as const)
      await books.dataSource.query(
        `update ${table} set ${sum} = ${table}.${sum} + case owner.owner_id when 'ann' then $1::bigint else -$1::bigint end
           from account owner
          where owner.id = ${table}.${account} and owner.kind = 'wallet' and owner.owner_id in ('ann', 'bob')`,
        [minor],
      );
  }

  it('shows which accounts have sums that differ from their credits, even if all balances fit', async () => {
    await shift(1);
    expect(await broken()).toEqual([]);
    const { faults } = await prove();
    await shift(-1);
    const wallets = await books.dataSource.query<{ id: string }[]>(
      `select id from account where kind = 'wallet' and owner_id in ('ann', 'bob') order by id`,
    );
    expect(faults).toEqual(
      wallets.map(({ id }) => `Account ${id} is recorded with another sum than its credits have.`),
    );
  });

  it('shows credits of accounts without a recorded sum', async () => {
    const faults = await books.undoing(async (tx) => {
      await tx.query(`delete from archive_balance where net_minor > 0`);
      return (await prove(dataSourceIn(tx))).faults;
    });
    expect(faults).toEqual(['2 times a credit has an account without a sum.']);
  });

  it('shows, in a run over everything, an edit of any column of its record, except descriptive columns', async () => {
    const rows: Rows = {
      archive: ['archive', 'true'],
      sum: ['archive_balance', 'account_id = (select min(account_id) from archive_balance)'],
    };
    expect(await books.undoing((tx) => unseenEdits(tx, rows, () => isSeen(tx)))).toEqual([
      ...['archive.file', 'archive.written_at', 'archive.detached_at', 'archive.dropped_at'],
    ]);
  });

  /** Takes a unit off a refund, in each table that records how much an account has. */
  const SHORT_REFUND = `
    with refund as (
      update transfer set amount_minor = amount_minor - 1 where kind = 'refund' and activity_id = {old}
      returning debit_account_id, credit_account_id
    ), change as (
      select debit_account_id as account_id, 1 as minor from refund
      union all
      select credit_account_id, -1 from refund
    ), carrying as (
      insert into carried (account_id, net_minor) select * from change
      on conflict (account_id) do update set net_minor = carried.net_minor + excluded.net_minor
    )
    update account set balance_minor = balance_minor + minor from change where id = account_id`;

  it.each([
    ['hide', () => recent, `update activity set archived_at = now() where archived_at is null`],
    ['excuse', () => old, SHORT_REFUND],
  ])('does not %s a change of an activity from a run over everything', async (_, id, sql) => {
    const findings = await books.undoing(async (tx) => {
      await tx.query(sql.replace('{old}', old));
      return within(tx).verify();
    });
    const faults = findings.filter(({ breaches }) => breaches > 0).map(({ details }) => details);
    expect(faults).toContainEqual([`Activity ${id()} is not what was archived.`]);
  });

  async function isSeen(tx: EntityManager): Promise<boolean> {
    if ((await prove(dataSourceIn(tx))).faults.length > 0) return true;
    const findings = await within(tx).verify();
    return findings.some(({ id, breaches }) => id !== 'I14' && breaches > 0);
  }

  it('is refused if it is cut off or not an archive', async () => {
    truncateSync(file(), statSync(file()).size >> 1);
    await expect(prove()).rejects.toThrow('unexpected end of file');
    rewriteAs('{"format":9}');
    await expect(prove()).rejects.toThrow('is not an archive in a format that this release knows');
  });

  const rewriteAs = (text: string): void => writeFileSync(file(), gzipSync(text));
});

describe('an export', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  const run = async (write: (text: AsyncIterable<string>) => Promise<void>) =>
    (await rain.openApi())
      .get(ExportService)
      .run({ kind: 'results', activityId: old, format: 'csv', caller: OPERATOR }, write);
  const gone = { code: 'activity.archived', status: 410 };

  it('is cut off if its activity is archived while it is read, because the rest is missing', async () => {
    const read = jest.fn();
    const write = async (text: AsyncIterable<string>) => {
      for await (const part of text) {
        read(part);
        await archive();
      }
    };
    await expect(run(write)).rejects.toMatchObject(gone);
    expect(read).toHaveBeenCalled();
  });

  it('is refused if its activity was archived before', async () => {
    await expect(run(() => Promise.resolve())).rejects.toMatchObject(gone);
  });
});

describe('an archived activity', () => {
  beforeAll(async () => {
    await setUp();
    await archive();
  });
  afterAll(tearDown);

  it('ends the lists of its users, and these lists say so', async () => {
    const packets = books.serviceOf(WonPacketsService);
    const grabs = books.serviceOf(GrabListService);
    for (const list of [
      await packets.ofUser('ann', { limit: 10 }),
      await books.wallets.entries('ann', { limit: 10 }),
    ]) {
      expect(list).toMatchObject({ items: [{ activityId: recent }], nextCursor: null, archived: true });
    }
    expect(await packets.ofUser('bob', { limit: 10 })).toEqual({
      items: [],
      nextCursor: null,
      archived: true,
      totals: [{ currency: 'CNY', packets: 0, amount: '0.00', isComplete: true }],
    });
    const archived = { code: 'activity.archived', status: 410 };
    await expect(packets.ofUserInActivity(old, 'ann')).rejects.toMatchObject(archived);
    await expect(grabs.ofActivity(old, { limit: 1 }, OPERATOR)).rejects.toMatchObject(archived);
  });

  it('ends the list of a user who wins again later', async () => {
    const later = await play('bob');
    const lists = [1, 2].map((limit) => books.wallets.entries('bob', { limit }));
    for (const list of await Promise.all(lists))
      expect(list).toMatchObject({ items: [{ activityId: later }], nextCursor: null, archived: true });
    expect(await broken()).toEqual([]);
  });

  it('is reported as archived if many late taps are looked up at once', async () => {
    const [late, known] = await books.claims.tapFacts([
      { activityId: old, userId: 'ann' },
      { activityId: recent, userId: 'ann' },
    ]);
    expect([late!.activity, known!.activity]).toMatchObject([{ isArchived: true }, { isArchived: false }]);
  });
});
