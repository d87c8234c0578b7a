import type { DataSource } from 'typeorm';
import { withSessionLock } from '../../platform/postgres';
import { Archive } from './archive';
import { ArchiveDirectory } from './archive-directory';
import { AuditArchive } from './audit-archive';

export interface ArchivePlan {
  readonly directory: string;
  /** For how long activities have been closed. */
  readonly days: number;
  /** For how long months of the audit log have been over. */
  readonly auditKeptDays: number;
}

/** Any number that nothing else uses. */
const ARCHIVE_LOCK = 7_264_002;

/**
 * All that `npm run archive` does. Two at a time would write the same files.
 *
 * @returns the files whose rows it has removed
 * @throws Error with one line when another one is running, and when something is not as recorded
 */
export function runArchive(
  dataSource: DataSource,
  { directory: path, days, auditKeptDays }: ArchivePlan,
  report: (line: string) => void,
): Promise<string[]> {
  const directory = new ArchiveDirectory(path, report);
  return withSessionLock(dataSource, ARCHIVE_LOCK, refuse, async () => {
    await directory.make();
    const rains = await new Archive(dataSource, directory, days, report).run();
    return [...rains, ...(await new AuditArchive(dataSource, directory, auditKeptDays, report).run())];
  });
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('Another archive is running.'));
}
