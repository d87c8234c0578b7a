import { type Invariant, ofLedger } from '../../core/reconciliation';

export const erasureInvariants: readonly Invariant[] = [
  ofLedger({
    id: 'I39',
    title:
      'every pseudonym that owns a wallet, and every revision of a seal, is that of somebody who was forgotten',
    subject: 'pseudonyms and revisions',
    sql: `
      select count(*) as examined, count(*) filter (where erasure.id is null) as breaches
        from (select owner_id as pseudonym, null::bigint as erasure_id
                from account where kind = 'wallet' and owner_id ~ '^erased-[0-9a-f]{32}$'
              union all
              select null, substring(cause from '^erasure:(\\d+)$')::bigint from seal_revision) as named
        left join erasure on (erasure.pseudonym = named.pseudonym or erasure.id = erasure_id)
                         and done_at is not null`,
  }),
];
