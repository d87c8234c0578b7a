import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Erasing } from '../../src/extensions/erasure';
import { ErasureService } from '../../src/extensions/erasure/erasure.service';
import { Books, requestOf } from '../harness/books';
import { createDatabase, onServer, type TestDatabase } from '../harness/engines';
import { books, rain, startRain } from '../harness/shared-books';
import { verificationOver } from '../reconciliation/verifying';
import { erase, ERASURE_KEY, parts, requestErasure } from './erasing';
import { forgetInRedis, live, newId, payAll, playedRain } from './person';
import { columnsWith } from './search';

let directory: string;
let ledger: string;
let restored: TestDatabase;

beforeEach(async () => {
  await startRain();
  directory = mkdtempSync(join(tmpdir(), 'hongbao-ledger-'));
  ledger = join(directory, 'erasures.ndjson');
});

afterEach(async () => {
  await rain.stop();
  rmSync(directory, { recursive: true });
  await restored?.drop();
});

/** Copies the database as it is now, which is possible while no session is connected to it. */
async function backup(): Promise<Books> {
  const name = new URL(books.databaseUrl).pathname.slice(1);
  await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  restored = await createDatabase(name);
  return Books.of(restored.url);
}

/** Makes a backup that knows someone who is then forgotten. */
async function forgottenAfterBackup(): Promise<{ zoe: string; copy: Books }> {
  const zoe = newId();
  await live(rain, zoe);
  const copy = await backup();
  await requestErasure(zoe);
  await erase(undefined, { ERASURE_LEDGER: ledger });
  return { zoe, copy };
}

const again = (copy: Books, settings: object = {}, report: (line: string) => void = () => undefined) =>
  new Erasing(
    copy.dataSource,
    { ...copy.config, ERASURE_KEY, ERASURE_LEDGER: ledger, ...settings },
    parts,
    report,
  ).again(ledger);

describe('a backup that is restored', () => {
  it('forgets again, under the same pseudonyms, by a ledger that contains no id', async () => {
    const [zoe, uma] = [newId(), newId()];
    await live(rain, zoe);
    await playedRain(rain, {}, [uma]);
    await forgetInRedis(rain);
    await verificationOver().verifyUnsealed();
    const copy = await backup();
    await payAll(rain, uma);
    for (const id of [zoe, uma]) await requestErasure(id);
    expect(await erase(undefined, { ERASURE_LEDGER: ledger })).toBe(2);
    const text = readFileSync(ledger, 'utf8');
    expect([text.includes(zoe), text.includes(uma)]).toEqual([false, false]);

    expect((await columnsWith(copy.dataSource, zoe)).length).toBeGreaterThan(20);
    expect(await again(copy)).toBe(2);
    for (const id of [zoe, uma]) expect(await columnsWith(copy.dataSource, id)).toEqual([]);
    const names = `select pseudonym, encode(digest, 'hex') as digest from erasure where digest_key <> '' order by 1`;
    expect(await copy.dataSource.query(names)).toEqual(await books.dataSource.query(names));
    const findings = await verificationOver(copy.dataSource).verify();
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
    expect(await again(copy)).toBe(0);
    await copy.close();
  });

  it('from before someone was forgotten, came back and was forgotten again gives their rows the first pseudonym', async () => {
    const zoe = newId();
    const forget = async (): Promise<string> => {
      await forgetInRedis(rain);
      await payAll(rain, zoe);
      await requestErasure(zoe);
      expect(await erase(undefined, { ERASURE_LEDGER: ledger })).toBe(1);
      const [{ name }] = await books.dataSource.query<[{ name: string }]>(
        'select pseudonym as name from erasure order by id desc limit 1',
      );
      return name;
    };
    const activityId = await playedRain(rain, {}, [zoe]);
    const copy = await backup();
    const first = await forget();
    await playedRain(rain, {}, [zoe]);
    expect(await forget()).not.toBe(first);
    await copy.dataSource.query(
      'update activity set tidied_at = now(), forgotten_at = now() where forgotten_at is null',
    );
    expect(await again(copy)).toBe(1);
    expect(await columnsWith(copy.dataSource, zoe)).toEqual([]);
    const winners = `select user_id from claim where activity_id = ${activityId}`;
    expect(await copy.dataSource.query(winners)).toEqual([{ user_id: first }]);
    expect(await books.dataSource.query(winners)).toEqual([{ user_id: first }]);
    await copy.close();
  });

  it('names a request that has since been withdrawn, which the next run would carry out', async () => {
    const erasures = books.serviceOf(ErasureService);
    const [zoe, wrong] = [newId(), newId()];
    await requestErasure(wrong);
    const id = (await erasures.list({ limit: 1 })).items[0]!.id;
    const copy = await backup();
    await erasures.withdraw(requestOf('third'), id);
    await requestErasure(zoe);
    expect(await erase(undefined, { ERASURE_LEDGER: ledger })).toBe(1);
    const lines: string[] = [];
    expect(await again(copy, {}, (line) => lines.push(line))).toBe(0);
    expect(lines).toEqual([
      `Erasure ${id} is to be carried out: it may have been withdrawn after this backup.`,
    ]);
    await copy.close();
  });

  it('forgets again by the previous key, and otherwise says which key is missing', async () => {
    const { zoe, copy } = await forgottenAfterBackup();
    const other = { ERASURE_KEY: Buffer.alloc(32, 1).toString('base64') };
    await expect(again(copy, other)).rejects.toThrow('was made with another ERASURE_KEY, whose name is');
    expect((await columnsWith(copy.dataSource, zoe)).length).toBeGreaterThan(20);
    expect(await again(copy, { ...other, ERASURE_KEY_PREVIOUS: ERASURE_KEY })).toBe(1);
    expect(await columnsWith(copy.dataSource, zoe)).toEqual([]);
    await copy.close();
  });

  it('forgets nobody by a ledger that someone has changed', async () => {
    const { copy } = await forgottenAfterBackup();
    const text = readFileSync(ledger, 'utf8');
    const lines = text.split('\n').filter(Boolean);
    const [entry] = lines.map((line) => JSON.parse(line) as object).slice(-2);
    const of = (change: object) => `${JSON.stringify({ ...entry, ...change })}\n${lines.at(-1)}\n`;
    for (const [changed, why] of [
      ['{"pseudonym":7}\n', 'Line 1 of'],
      ['null\n', 'Line 1 of'],
      [of({ pseudonym: 'uma' }), 'Line 1 of'],
      [of({ digest: 'ff' }), 'Line 1 of'],
      [of({ doneAt: 'now' }), 'Line 1 of'],
      [of({ digest: 'f'.repeat(64) }), 'its seal does not fit'],
      [`${lines.at(-1)}\n`, 'its seal does not fit'],
      [`${lines.slice(0, -1).join('\n')}\n`, 'does not end with its seal'],
      ['', 'does not end with its seal'],
    ] as const) {
      writeFileSync(ledger, changed);
      await expect(again(copy)).rejects.toThrow(why);
    }
    writeFileSync(ledger, text);
    expect(await again(copy)).toBe(1);
    await copy.close();
  });

  it('is not processed by a nightly run, which leaves the ledger as it is and says what has to be run first', async () => {
    const { copy } = await forgottenAfterBackup();
    const text = readFileSync(ledger, 'utf8');
    const config = { ...copy.config, ERASURE_KEY, ERASURE_LEDGER: ledger };
    const nightly = () => new Erasing(copy.dataSource, config, parts, () => undefined).run();
    await expect(nightly()).rejects.toThrow(`run npm run erasure -- --again ${ledger} first`);
    expect(readFileSync(ledger, 'utf8')).toBe(text);
    expect(await again(copy)).toBe(1);
    expect(await nightly()).toBe(0);
    await copy.close();
  });
});

it('an erasure that fails prevents neither the next erasure nor its entry in the ledger', async () => {
  const [zoe, uma] = [newId(), newId()];
  const life = await live(rain, zoe);
  await verificationOver().verifyUnsealed();
  await books.dataSource.query(`update activity set name = 'Other' where id = $1`, [life.sponsored]);
  for (const id of [zoe, uma]) await requestErasure(id);
  const lines: string[] = [];
  const run = erase((line) => lines.push(line), { ERASURE_LEDGER: ledger });
  await expect(run).rejects.toThrow('is not what was sealed');
  expect(lines).toEqual([
    expect.stringMatching(/^Erasure \d+ failed: .* is not what was sealed/),
    expect.stringContaining('is done'),
  ]);
  expect(readFileSync(ledger, 'utf8').split('\n').filter(Boolean).length).toBeGreaterThan(0);
  expect(await columnsWith(books.dataSource, uma)).toEqual([]);
});
