import type { SchemaPart } from '../../platform/postgres';

export const webhookSchema: SchemaPart = {
  grants: {
    webhook: 'select, insert, delete, update (deleted_at, secret)',
    undelivered_message:
      'select, insert, delete, update (status, attempts, last_error, offered_at, updated_at)',
  },
};
