import { runArchive } from '../../src/extensions/archive';
import { type Proof, proveArchive } from '../../src/extensions/archive/archive-proof';
import { ArchiveRepository } from '../../src/extensions/archive/archive.repository';
import { AuditArchiveRepository } from '../../src/extensions/archive/audit-archive.repository';
import { books } from '../harness/shared-books';

/** Does what `npm run archive` does. Returns the names of the files that it wrote. */
export const archiveInto = (directory: string): Promise<string[]> =>
  runArchive(books.dataSource, { directory, days: 365, auditKeptDays: 730 }, () => undefined);

/** Proves a file of an archive. */
export const proofOf = (path: string, dataSource = books.dataSource): Promise<Proof> =>
  proveArchive(new ArchiveRepository(dataSource), new AuditArchiveRepository(dataSource), path);
