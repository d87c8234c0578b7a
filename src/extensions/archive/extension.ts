import type { Extension } from '../extension';

export const archive: Extension = {
  /** The programs only read these tables: the owner archives. */
  schema: { grants: { archive: 'select', archive_balance: 'select', audit_archive: 'select' } },
};
