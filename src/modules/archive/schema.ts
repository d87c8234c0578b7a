import type { SchemaPart } from '../../platform/postgres';

/** The programs only read these tables. The owner of the tables archives. */
export const archiveSchema: SchemaPart = {
  grants: { archive: 'select', archive_balance: 'select', audit_archive: 'select' },
};
