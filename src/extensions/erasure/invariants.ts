import { type Invariant, ofLedger } from '../../core/reconciliation';
import { AGAIN, isApproved } from './erasure.repository';

export const erasureInvariants: readonly Invariant[] = [
  ofLedger({
    id: 'I39',
    title:
      'every pseudonym that owns a wallet, and every revision of a seal, is that of a person whose erasure two people agreed to',
    subject: 'pseudonyms, revisions and erasures',
    sql: `
      select count(*) as examined, count(*) filter (where not is_known) as breaches
        from (select exists (select from erasure where pseudonym = owner_id and done_at is not null) as is_known
                from account where kind = 'wallet' and owner_id ~ '^erased-[0-9a-f]{32}$'
              union all
              select exists (select from erasure where id = substring(cause from '^erasure:(\\d+)$')::bigint
                                                   and done_at is not null)
                from seal_revision
              union all
              select ${isApproved('erasure')} or (requested_by = '${AGAIN}' and done_at is not null)
                from erasure where withdrawn_at is null and exists (select from requested_deed)) as named`,
  }),
];
