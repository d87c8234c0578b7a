import type { SchemaPart } from '../../platform/postgres';

export const payoutSchema: SchemaPart = {
  grants: {
    payout_channel:
      'select, insert, update (name, profile, is_paused, url, secret, former_secret, former_secret_until, deleted_at)',
    'sequence payout_channel_id_seq': 'usage',
    payout:
      'select, insert, update (state, attempt, external_id, code, action, ended_at, due_at, leased_until, calls, currency_calls, first_sent_at, last_sent_at, not_found, setbacks)',
    payout_pace:
      'select, insert, update (tokens, factor, filled_at, held_until, payments_held_until, failures, openings, open_until, refusals, slowed_at, day, day_minor, days)',
    payout_credit: 'select, insert, update (due_at, payout_id, released_at)',
    'sequence payout_id_seq': 'usage, update',
    payout_day: 'select, insert, update (payouts, amount_minor)',
    payout_event: 'select, insert',
    payout_news: 'select, insert, delete, update (payout_event_id)',
    payout_statement: 'select, insert, update (ended_at, digest, result)',
    'sequence payout_statement_id_seq': 'usage',
    payout_stated: 'select, insert, update (statement_id)',
    payout_finding: 'select, insert, update (owner, ended_at, ended_by, resolution, statement_id)',
  },
  people: {
    payout: ['user_id'],
    payout_day: ['user_id'],
    payout_event: ['detail'],
    payout_statement: ['handed_in_by'],
    payout_finding: ['ended_by', 'owner', 'detail', `line (json) where line like '{%'`],
  },
  underWay: `
    select 'payout' as what, id::text from payout where user_id = $1 and ended_at is null
    union all
    select 'payout-finding', finding.id::text
      from payout_finding as finding left join payout on payout.id = payout_id
     where finding.ended_at is null and (user_id = $1 or detail->>'userId' = $1)`,
  // A bank may still return what was paid.
  lastMoved: `select max(ended_at) as at from payout where user_id = $1`,
};
