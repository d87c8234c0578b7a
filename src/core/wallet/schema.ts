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
  people: {
    account: [`owner_id where kind = 'wallet'`],
    unsettled_claim: ['user_id'],
    dead_letter: ['user_id'],
  },
  underWay: `
    select 'balance' as what, trim(code) as id
      from account join currency on code = account.currency and currency.kind = 'money'
     where owner_id = $1 and account.kind = 'wallet' and balance_minor <> 0
    union all
    select 'frozen-wallet', trim(currency) from account
     where owner_id = $1 and kind = 'wallet' and status = 'frozen'
    union all
    select 'claim', claim_id::text from unsettled_claim where user_id = $1
    union all
    select 'dead-letter', id::text from dead_letter where user_id = $1 and status = 'open'`,
};
