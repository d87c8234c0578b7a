import type { SchemaPart } from '../../platform/postgres';

/** The programs look; the owner of the tables archives. */
export const archiveSchema: SchemaPart = {
  grants: { archive: 'select', archive_balance: 'select', audit_archive: 'select' },
};
