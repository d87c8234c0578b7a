import type { SchemaPart } from '../../platform/postgres';

export const reconciliationSchema: SchemaPart = {
  grants: { seal: 'select, insert', seal_revision: 'select', carried: 'select, insert, update (net_minor)' },
};
