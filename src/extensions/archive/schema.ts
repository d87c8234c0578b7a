import type { SchemaPart } from '../../platform/postgres';

/** The programs only read these tables: the owner archives. */
export const archiveSchema: SchemaPart = {
  grants: { archive: 'select', archive_balance: 'select', audit_archive: 'select' },
};
