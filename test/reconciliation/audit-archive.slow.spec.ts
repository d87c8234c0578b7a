import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ArchiveDirectory } from '../../src/extensions/archive/archive-directory';
import { AuditArchiveRepository } from '../../src/extensions/archive/audit-archive.repository';
import { books, shareBooks } from '../harness/shared-books';
import { archiveInto, proofOf } from './archiving';
import { crashIn, type Steps, stepsOf } from './crash';

const [FILES, AUDITS] = [ArchiveDirectory, AuditArchiveRepository].map(stepsOf);

shareBooks();

let directory: string;
let months = 0;

/** Each test has its own month. */
let month: string;

beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'hongbao-audit-'))));

beforeEach(async () => {
  months += 1;
  month = new Date(Date.UTC(2019, months)).toISOString().slice(0, 7);
  await write(`${month}-01 00:00Z`, 'wallet.freeze');
  await write(`${month}-28 23:59:59.999999Z`, 'wallet.unfreeze');
});

afterAll(() => rmSync(directory, { recursive: true }));

const write = (at: string, action: string) =>
  books.dataSource.query(
    `insert into audit_log (at, actor_id, action, subject, after) values ($1, 'op1', $2, 'wallet:ann', '{"status":"new"}')`,
    [at, action],
  );

const archive = () => archiveInto(directory);

const fileOf = (one: string): string => `audit-${one}.ndjson.gz`;
const path = () => join(directory, fileOf(month));
const text = () => gunzipSync(readFileSync(path())).toString();

const prove = () => proofOf(path());

async function entriesLeft(): Promise<number> {
  const [row] = await books.dataSource.query<{ count: number }[]>(
    `select count(*)::integer as count from audit_log where to_char(at at time zone 'UTC', 'YYYY-MM') = $1`,
    [month],
  );
  return row!.count;
}

async function expectArchived(): Promise<void> {
  expect(await entriesLeft()).toBe(0);
  const lines = text().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { format: 1, month },
    { actor: 'op1', action: 'wallet.freeze', subject: 'wallet:ann', after: { status: 'new' } },
    { action: 'wallet.unfreeze' },
  ]);
  expect(await prove()).toEqual({ examined: 2, faults: [] });
}

const crash = (steps: Steps, step: string, when: string) => crashIn(archive, steps, step, when);

async function crashAfterOneStep(): Promise<void> {
  const work = AUDITS!.remove!;
  let steps = 0;
  const spy = jest.spyOn(AUDITS!, 'remove').mockImplementation(async function (this: unknown, ...args) {
    steps += 1;
    if (steps > 1) throw new Error('crashed');
    return work.apply(this, args);
  });
  await expect(archive()).rejects.toThrow('crashed');
  spy.mockRestore();
}

describe('a month of the audit log', () => {
  it('moves to a file when it is long past, and younger entries stay', async () => {
    await write(new Date().toISOString(), 'wallet.freeze');
    expect(await archive()).toEqual([fileOf(month)]);
    await expectArchived();
    expect(await archive()).toEqual([]);
    const [row] = await books.dataSource.query<{ count: string }[]>(
      `select count(*) as count from audit_log`,
    );
    expect(row).toEqual({ count: '1' });
  });

  it('leaves the remaining entries as safe as before: the trigger is back', async () => {
    await archive();
    await expect(books.dataSource.query('delete from audit_log')).rejects.toThrow('never changed or deleted');
  });

  it.each(
    ['before', 'after'].flatMap((when) => [
      [when, 'write', FILES!] as const,
      ...['record', 'remove'].map((step) => [when, step, AUDITS!] as const),
    ]),
  )('moves to a file after a crash %s the archive could %s', async (when, step, steps) => {
    await crash(steps, step, when);
    expect(await archive()).toEqual([fileOf(month)]);
    await expectArchived();
  });

  it('stays in the table if its entries differ from its file', async () => {
    await crash(AUDITS!, 'remove', 'before');
    await write(`${month}-02 00:00Z`, 'wallet.freeze');
    await expect(archive()).rejects.toThrow(`${fileOf(month)} has 2 entries, and the log 3.`);
    expect(await entriesLeft()).toBe(3);
    await books.dataSource.query(`delete from audit_archive where removed_at is null`);
    rmSync(path());
    await archive();
  });

  it('moves in small steps, so that writers to the log wait for at most one step, and continues after a crash between two steps', async () => {
    await books.dataSource.query(
      `insert into audit_log (at, actor_id, action, subject)
       select $1::timestamptz + no * interval '1 second', 'op1', 'wallet.freeze', 'wallet:ann' from generate_series(1, 12000) as no`,
      [`${month}-02 00:00Z`],
    );
    await crashAfterOneStep();
    const left = await entriesLeft();
    expect(left).toBeLessThan(12_002);
    expect(left).toBeGreaterThanOrEqual(12_002 - 5_000);
    expect(await archive()).toEqual([fileOf(month)]);
    expect(await entriesLeft()).toBe(0);
    expect(await prove()).toEqual({ examined: 12_002, faults: [] });
  });

  it('is not rewritten if some of its entries are only in the damaged file', async () => {
    await books.dataSource.query(
      `insert into audit_log (at, actor_id, action, subject)
       select $1::timestamptz, 'op1', 'wallet.freeze', 'wallet:ann' from generate_series(1, 6000)`,
      [`${month}-02 00:00Z`],
    );
    await crashAfterOneStep();
    const whole = readFileSync(path());
    writeFileSync(path(), gzipSync(text().replace('op1', 'op7')));
    await expect(archive()).rejects.toThrow(/5000 of its entries exist nowhere else/);
    expect(text()).toContain('op7');
    writeFileSync(path(), whole);
    expect(await archive()).toEqual([fileOf(month)]);
  });

  it('is proven by its file, and a change of the file is noticed', async () => {
    await archive();
    writeFileSync(path(), gzipSync(text().replace('op1', 'op7')));
    expect((await prove()).faults).toEqual(['The digest of the lines differs.']);
    writeFileSync(path(), gzipSync(text().replace(/\n[^\n]*"op7"[^\n]*/, '')));
    expect((await prove()).faults[0]).toBe('entries are 1, not 2.');
  });

  it('has no proof if there is no record of its file', async () => {
    await archive();
    writeFileSync(path(), gzipSync(text().replace(month, '1999-01')));
    expect((await prove()).faults).toEqual(['There is no record of this file.']);
  });
});
