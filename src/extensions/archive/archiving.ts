import type { DataSource } from 'typeorm';
import { Archive } from './archive';
import { holdFiles } from './archive-lock';
import { ArchiveDirectory } from './archive-directory';
import { AuditArchive } from './audit-archive';

export interface ArchivePlan {
  readonly directory: string;
  /** Activities are archived this many days after they were closed. */
  readonly days: number;
  /** Months of the audit log are archived this many days after their end. */
  readonly auditKeptDays: number;
}

/**
 * Does all of `npm run archive`. A lock keeps a second run out: it would write the same files.
 *
 * @returns the files whose rows it removed
 * @throws Error with one line when another run holds the lock, or something differs from its record
 */
export function runArchive(
  dataSource: DataSource,
  { directory: path, days, auditKeptDays }: ArchivePlan,
  report: (line: string) => void,
): Promise<string[]> {
  const directory = new ArchiveDirectory(path, report);
  return holdFiles(dataSource, async () => {
    await directory.make();
    const rains = await new Archive(dataSource, directory, days, report).run();
    return [...rains, ...(await new AuditArchive(dataSource, directory, auditKeptDays, report).run())];
  });
}
