import { randomUUID } from 'node:crypto';
import files from 'node:fs/promises';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Erasing } from '../../src/extensions/erasure';
import { Renaming } from '../../src/extensions/erasure/renaming';
import { ErasureRepository } from '../../src/extensions/erasure/erasure.repository';
import { Books } from '../harness/books';
import { createDatabase, onServer } from '../harness/engines';
import { books, rain, startRain } from '../harness/shared-books';
import { archiveInto, proofOf } from '../reconciliation/archiving';
import { broken, verificationOver } from '../reconciliation/verifying';
import { erase, ERASURE_KEY, parts, requestErasure, saltsOf } from './erasing';
import { type Life, live, payAll } from './person';
import { columnsWith } from './search';

let directory: string;
let id: string;
let life: Life;

beforeEach(async () => {
  await startRain();
  directory = mkdtempSync(join(tmpdir(), 'hongbao-erasure-'));
  id = `zoe-${randomUUID()}`;
  life = await live(rain, id);
  await verificationOver().verifyUnsealed();
  await books.dataSource.query(`select setval('activity_id_seq', 20000)`);
  await books.dataSource.query(
    `update activity set closed_at = now() - interval '400 days' where status <> 'active'`,
  );
  await books.dataSource.transaction(async (tx) => {
    await tx.query('alter table seal disable trigger append_only');
    await tx.query('delete from seal');
    await tx.query('delete from carried');
    await tx.query('alter table seal enable trigger append_only');
    await tx.query('alter table audit_log disable trigger append_only');
    await tx.query(`update audit_log set at = at - interval '900 days'`);
    await tx.query('alter table audit_log enable trigger append_only');
  });
  await verificationOver().verifyUnsealed();
  expect(await archiveInto(directory)).toHaveLength(2);
});

afterEach(async () => {
  rmSync(directory, { recursive: true });
  await rain.stop();
});

const texts = () =>
  readdirSync(directory)
    .sort()
    .map((name) => gunzipSync(readFileSync(join(directory, name))).toString());

const prove = async (dataSource = books.dataSource) => {
  const proofs = [];
  for (const name of readdirSync(directory).sort())
    proofs.push(await proofOf(join(directory, name), dataSource));
  return proofs;
};

const eraseWithFiles = () => erase(undefined, { ARCHIVE_DIR: directory });

async function expectForgotten(): Promise<void> {
  const all = texts();
  expect(all.join()).not.toContain(id);
  expect(all.every((text) => /erased-[0-9a-f]{32}/.test(text))).toBe(true);
  expect(all.join()).toContain(life.friend);
  for (const { examined, faults } of await prove()) {
    expect(faults).toEqual([]);
    expect(examined).toBeGreaterThan(3);
  }
  expect(await columnsWith(books.dataSource, id)).toEqual([]);
  expect(await broken()).toEqual([]);
}

describe('the files of the archive', () => {
  it('contain the pseudonym in place of the id and all other lines unchanged, and are proven', async () => {
    const before = texts();
    expect(before.every((text) => text.includes(id))).toBe(true);
    await requestErasure(id);
    expect(await eraseWithFiles()).toBe(1);
    await expectForgotten();
    const [{ pseudonym }] = await books.dataSource.query<[{ pseudonym: string }]>(
      'select pseudonym from erasure order by id desc',
    );
    texts().forEach((text, i) => {
      const [now, then] = [text.split('\n'), before[i]!.split('\n')];
      const changed = then.filter((line) => line.includes(id));
      expect(now.filter((line) => !line.includes(pseudonym))).toEqual(
        then.filter((line) => !line.includes(id)),
      );
      expect(now.filter((line) => line.includes(pseudonym)).map((line) => JSON.parse(line))).toEqual(
        changed.map((line) => JSON.parse(line.replaceAll(id, pseudonym))),
      );
    });
    expect(await saltsOf(life.won)).toBe(1);
  });

  it('are needed: without their directory, or when one is missing, nobody is forgotten', async () => {
    await requestErasure(id);
    await expect(erase()).rejects.toThrow('Set ARCHIVE_DIR');
    const [name] = readdirSync(directory).sort();
    const kept = join(tmpdir(), randomUUID());
    copyFileSync(join(directory, name!), kept);
    rmSync(join(directory, name!));
    await expect(eraseWithFiles()).rejects.toThrow(name);
    copyFileSync(join(directory, readdirSync(directory)[0]!), join(directory, name!));
    await expect(eraseWithFiles()).rejects.toThrow(`${name} is not what was recorded.`);
    copyFileSync(kept, join(directory, name!));
    rmSync(kept);
    expect(await eraseWithFiles()).toBe(1);
    await expectForgotten();
  });

  it('are complete after a crash before a rewritten file takes its name', async () => {
    await requestErasure(id);
    const move = files.rename;
    const spy = jest
      .spyOn(files, 'rename')
      .mockImplementation((from, to) =>
        String(to).endsWith('.anew') ? move(from, to) : Promise.reject(new Error('crashed')),
      );
    await expect(eraseWithFiles()).rejects.toThrow('crashed');
    spy.mockRestore();
    await books.deposit(id, 7n);
    expect(await eraseWithFiles()).toBe(0);
    for (const { faults } of await prove()) expect(faults).toEqual([]);
    await payAll(rain, id);
    expect(await eraseWithFiles()).toBe(1);
    await expectForgotten();
  });

  it('that killed runs have written in part are removed, and a file without a record stops the erasure', async () => {
    await requestErasure(id);
    const [name] = readdirSync(directory).sort();
    const remains = [
      'audit-2020-01.ndjson.gz.partial',
      `${name}.anew`,
      `${name}.anew.partial`,
      `${name}.partial`,
    ];
    for (const one of remains) writeFileSync(join(directory, one), id);
    writeFileSync(join(directory, 'notes.txt'), 'of somebody else');
    const unrecorded = join(directory, 'audit-2020-01.ndjson.gz');
    copyFileSync(join(directory, name!), unrecorded);
    await expect(eraseWithFiles()).rejects.toThrow(
      'audit-2020-01.ndjson.gz is in ARCHIVE_DIR without a record',
    );
    rmSync(unrecorded);
    expect(await eraseWithFiles()).toBe(1);
    expect(readdirSync(directory).filter((one) => !one.endsWith('.gz'))).toEqual(['notes.txt']);
    rmSync(join(directory, 'notes.txt'));
    await expectForgotten();
  });

  it('are not written by an archive that runs between the changes of the files and of the database: it waits for its next run', async () => {
    await requestErasure(id);
    const archives: unknown[] = [];
    const find = Renaming.find.bind(Renaming);
    const spy = jest.spyOn(Renaming, 'find').mockImplementation(async (...args) => {
      archives.push(await archiveInto(directory).catch(String));
      return find(...args);
    });
    expect(await eraseWithFiles()).toBe(1);
    spy.mockRestore();
    expect(archives).toEqual([expect.stringContaining('Another archive is running.')]);
    await expectForgotten();
  });

  it('are complete after a crash before the database forgets', async () => {
    await requestErasure(id);
    const spy = jest.spyOn(ErasureRepository.prototype, 'finish').mockRejectedValue(new Error('crashed'));
    await expect(eraseWithFiles()).rejects.toThrow('crashed');
    spy.mockRestore();
    expect(await saltsOf(life.won)).toBe(2);
    expect(await eraseWithFiles()).toBe(1);
    await expectForgotten();
    expect(await saltsOf(life.won)).toBe(1);
  });

  it('match a restored database again, which has the digests of before', async () => {
    const ledger = join(directory, '..', `${randomUUID()}.ndjson`);
    const name = new URL(books.databaseUrl).pathname.slice(1);
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    const restored = await createDatabase(name);
    await requestErasure(id);
    expect(await erase(undefined, { ARCHIVE_DIR: directory, ERASURE_LEDGER: ledger })).toBe(1);

    const copy = await Books.of(restored.url);
    const config = { ...copy.config, ERASURE_KEY, ERASURE_LEDGER: ledger, ARCHIVE_DIR: directory };
    const erasing = new Erasing(copy.dataSource, config, parts, () => undefined);
    expect(await erasing.again(ledger)).toBe(1);
    expect(await columnsWith(copy.dataSource, id)).toEqual([]);
    expect(await saltsOf(life.won, copy)).toBe(1);
    for (const { faults } of await prove(copy.dataSource)) expect(faults).toEqual([]);
    await copy.close();
    await restored.drop();
    rmSync(ledger);
  });
});
