import type { SchemaPart } from '../../platform/postgres';

/** Proofs read what was archived and approved, also in programs that archive and approve nothing. */
export const reconciliationSchema: SchemaPart = {
  grants: {
    seal: 'select, insert',
    carried: 'select, insert, update (net_minor)',
    archive: 'select',
    archive_balance: 'select',
    approval: 'select',
  },
};
