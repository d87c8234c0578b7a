import type { SchemaPart } from '../../platform/postgres';

export const auditSchema: SchemaPart = { grants: { audit_log: 'select, insert' } };
