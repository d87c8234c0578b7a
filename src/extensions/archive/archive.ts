import type { DataSource, EntityManager } from 'typeorm';
import { PATIENCE, ShortLocks } from '../../platform/postgres';
import { rainPages, SealRepository } from '../../core/reconciliation';
import type { ArchiveDirectory } from './archive-directory';
import { type ActivityPart, type ArchiveHeader, digestOf } from './archive-file';
import { differences } from './archive-proof';
import { type ArchiveRecord, ArchiveRepository } from './archive.repository';

const RAINS_AT_ONCE = 1_000;

/**
 * Writes the partitions of ended activities to files, and drops them. Each step records its
 * progress: after a crash, a file without a record is written again, and a record says whether its
 * partition is still attached. Only rows that agree with their seals are written. A partition is
 * dropped only after its file was read back and compared with the detached rows.
 */
export class Archive {
  private readonly archives: ArchiveRepository;
  private readonly seals: SealRepository;
  private readonly locks: ShortLocks;

  constructor(
    dataSource: DataSource,
    private readonly directory: ArchiveDirectory,
    private readonly days: number,
    private readonly report: (line: string) => void,
  ) {
    this.archives = new ArchiveRepository(dataSource);
    this.seals = new SealRepository(dataSource);
    this.locks = new ShortLocks(dataSource, PATIENCE, report);
  }

  /**
   * Archives all that is due, and returns the files whose partitions it dropped.
   *
   * @throws Error with one line when something differs from its record
   */
  async run(): Promise<string[]> {
    const done: string[] = [];
    for (const record of await this.archives.unfinished()) done.push(await this.finish(record));
    for (const part of await this.archives.over(this.days))
      done.push(await this.finish(await this.write(part)));
    return done;
  }

  private async write(part: ActivityPart): Promise<ArchiveRecord> {
    const { firstActivityId, beyondActivityId } = part;
    const file = `activities-${firstActivityId}-${BigInt(beyondActivityId) - 1n}.ndjson.gz`;
    const digest = await this.writeFile(file, part, (tx) => this.requireSealed(tx, part));
    await this.archives.record(part, file, digest);
    return (await this.archives.findArchive(firstActivityId))!;
  }

  private writeFile(
    file: string,
    part: ActivityPart,
    check: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<Buffer> {
    return this.archives.snapshot(async (tx) => {
      await check(tx);
      return this.directory.write(file, headerOf(part), this.archives.lines(tx, part));
    });
  }

  /** Checks seals in the snapshot that is written: later there will be no rows to compare. */
  private async requireSealed(tx: EntityManager, part: ActivityPart): Promise<void> {
    const { firstActivityId, beyondActivityId } = part;
    const pages = rainPages(
      (after) => this.seals.sealed(after, RAINS_AT_ONCE, beyondActivityId, tx),
      String(BigInt(firstActivityId) - 1n),
    );
    for await (const page of pages) {
      const changed = await this.seals.changed(tx, page);
      if (changed.length > 0)
        throw new Error(`Activity ${changed[0]} is not what was sealed: see npm run verify -- --all.`);
    }
  }

  private async finish(record: ArchiveRecord): Promise<string> {
    await this.directory.prove(
      record.file,
      (reading) => differences(reading, record),
      () => this.writeFile(record.file, record),
    );
    if (!record.isDetached)
      await this.locks.inTransaction('Detaching', (tx) => this.archives.detach(tx, record));
    await this.requireUnchanged(record);
    await this.locks.inTransaction('Dropping', (tx) => this.archives.drop(tx, record));
    this.report(`Archived: activities ${record.firstActivityId} to ${BigInt(record.beyondActivityId) - 1n}.`);
    return record.file;
  }

  /** Nothing can change the detached rows before they are dropped. */
  private async requireUnchanged(record: ArchiveRecord): Promise<void> {
    const digest = await this.archives.snapshot((tx) =>
      digestOf(headerOf(record), this.archives.lines(tx, record)),
    );
    if (digest.equals(record.digest)) return;
    await this.locks.inTransaction('Attaching', (tx) => this.archives.attach(tx, record));
    throw new Error(`${record.file} lacks what was written after it. The rows are back in their tables.`);
  }
}

const headerOf = ({ firstActivityId, beyondActivityId }: ActivityPart): ArchiveHeader => ({
  format: 1,
  firstActivityId,
  beyondActivityId,
});
