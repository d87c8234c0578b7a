import type { SchemaPart } from '../../platform/postgres';

export const reconciliationSchema: SchemaPart = {
  grants: { seal: 'select, insert', carried: 'select, insert, update (net_minor)' },
};
