import type { Extension } from '../extension';
import { proveArchive } from './archive-proof';
import { ArchiveRepository } from './archive.repository';
import { adoptRevisions, fileRevisions } from './file-revisions';
import { holdFiles } from './archive-lock';
import { forgetInFiles } from './forget-in-files';
import { AuditArchiveRepository } from './audit-archive.repository';

export const archive: Extension = {
  /** The programs only read these tables: the owner archives. */
  schema: {
    grants: {
      archive: 'select',
      archive_balance: 'select',
      audit_archive: 'select',
      archive_revision: 'select',
    },
  },
  forgetting: { holdFiles, forgetInFiles, fileRevisions, adoptRevisions },
  evidence: {
    archived_range: `select first_activity_id as first_id, beyond_activity_id as beyond_id
                       from archive where detached_at is not null`,
    archived_credit: `select account_id, net_minor
                        from archive_balance join archive using (first_activity_id) where detached_at is not null`,
  },
  fileProof: {
    id: 'A',
    title:
      'the file holds what was archived, each activity what its seal says, and each account the sum of its credits',
    subject: 'rows',
    proveFile: (dataSource, file) =>
      proveArchive(new ArchiveRepository(dataSource), new AuditArchiveRepository(dataSource), file),
  },
};
