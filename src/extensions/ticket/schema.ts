import type { SchemaPart } from '../../platform/postgres';

export const ticketSchema: SchemaPart = {
  grants: { ticket_key: 'select, insert, update (deleted_at, secret)' },
};
