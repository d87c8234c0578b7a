import type { SchemaPart } from '../../platform/postgres';

export const walletSchema: SchemaPart = {
  grants: {
    account: 'select, insert, update (balance_minor, status, last_credit_in, former_credit_in)',
    'sequence account_id_seq': 'usage',
    transfer: 'select, insert',
    budget: 'select, insert, update (per_day_minor, day, spent_minor, days), delete',
    'sequence transfer_id_seq': 'usage',
    deposit_reference: 'select, insert',
    unsettled_claim: 'select, insert, delete, update (attempts, last_error)',
    dead_letter: 'select, insert, update (status, reason, last_error, resolution, attempts, updated_at)',
  },
};
