import type { DataSource } from 'typeorm';
import { PATIENCE, ShortLocks } from '../../platform/postgres';
import type { ArchiveDirectory } from './archive-directory';
import { auditDifferences } from './archive-proof';
import { ArchiveRepository } from './archive.repository';
import { AuditArchiveRepository, type AuditRecord } from './audit-archive.repository';

/** Moves months of the audit log to files, in the steps of {@link Archive}. */
export class AuditArchive {
  private readonly archives: ArchiveRepository;
  private readonly audits: AuditArchiveRepository;
  private readonly locks: ShortLocks;

  constructor(
    dataSource: DataSource,
    private readonly directory: ArchiveDirectory,
    private readonly keptDays: number,
    report: (line: string) => void,
  ) {
    this.archives = new ArchiveRepository(dataSource);
    this.audits = new AuditArchiveRepository(dataSource);
    this.locks = new ShortLocks(dataSource, PATIENCE, report);
  }

  /**
   * Returns the files whose entries it removed.
   * @throws Error with one line when something differs from its record
   */
  async run(): Promise<string[]> {
    const done: string[] = [];
    for (const record of await this.audits.unfinished()) done.push(await this.finish(record));
    for (const month of await this.audits.over(this.keptDays))
      done.push(await this.finish(await this.write(month)));
    return done;
  }

  private async write(month: string): Promise<AuditRecord> {
    const file = `audit-${month}.ndjson.gz`;
    const digest = await this.writeFile(file, month);
    return this.audits.record(month, file, digest);
  }

  private writeFile(file: string, month: string): Promise<Buffer> {
    return this.archives.snapshot((tx) =>
      this.directory.write(file, { format: 1, month }, this.audits.lines(tx, month)),
    );
  }

  private async finish(record: AuditRecord): Promise<string> {
    const { file, month } = record;
    await this.directory.prove(
      file,
      (reading) => auditDifferences(reading, record),
      () => this.writeAgain(record),
    );
    await this.remove(record);
    await this.audits.setRemoved(month);
    return file;
  }

  /** Writes a file again that is missing or damaged, while the log has all of its entries. */
  private writeAgain({ file, month, removed }: AuditRecord): Promise<Buffer> {
    if (BigInt(removed) === 0n) return this.writeFile(file, month);
    throw new Error(`${file} is missing or damaged, and ${removed} of its entries exist nowhere else.`);
  }

  /** Works in small steps, between which others write to the log. */
  private async remove({ file, month, entries, removed }: AuditRecord): Promise<void> {
    const { count, firstId, lastId } = await this.audits.entriesLeft(month);
    if (BigInt(count) + BigInt(removed) !== BigInt(entries))
      throw new Error(`${file} has ${entries} entries, and the log ${BigInt(count) + BigInt(removed)}.`);
    for (let next = firstId; next !== null;) {
      const from = next;
      next = await this.locks.inTransaction('Removing', (tx) => this.audits.remove(tx, month, from, lastId!));
    }
  }
}
