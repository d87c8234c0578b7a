import type { Extension } from '../extension';
import { proveArchive } from './archive-proof';
import { ArchiveRepository } from './archive.repository';
import { AuditArchiveRepository } from './audit-archive.repository';

export const archive: Extension = {
  /** The programs only read these tables: the owner archives. */
  schema: { grants: { archive: 'select', archive_balance: 'select', audit_archive: 'select' } },
  fileProof: {
    id: 'A',
    title:
      'the file holds what was archived, each activity what its seal says, and each account the sum of its credits',
    subject: 'rows',
    proveFile: (dataSource, file) =>
      proveArchive(new ArchiveRepository(dataSource), new AuditArchiveRepository(dataSource), file),
  },
};
