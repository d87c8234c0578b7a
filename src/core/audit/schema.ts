import type { SchemaPart } from '../../platform/postgres';

export const auditSchema: SchemaPart = {
  grants: { audit_log: 'select, insert' },
  people: { audit_log: ['actor_id', 'via', 'subject (noun:id)', 'before', 'after', 'detail'] },
};
