import { type Invariant, ofKeptRains, ofLedger } from './invariant';

/** The path of claims into wallets. */
export const SETTLEMENT_INVARIANTS: readonly Invariant[] = [
  ofKeptRains({
    id: 'I5',
    title:
      'every claim is exactly one of pending, credited once with its amount to the wallet of its winner, or a dead letter',
    subject: 'claims',
    sql: `
      with credit as (select * from transfer where kind = 'credit'),
           dead as (select * from dead_letter where status <> 'replayed')
      select count(*)
             - (select count(*) - count(distinct source_id) from credit) as examined,
             count(*) filter (where (credit.id is not null)::int + (unsettled_claim.claim_id is not null)::int
                                  + (dead.id is not null)::int <> 1
                                 or (credit.id is not null
                                     and (wallet.owner_id, credit.amount_minor, credit.activity_id)
                                         is distinct from (claim.user_id, claim.amount_minor, claim.activity_id)))
             + (select count(*) - count(distinct source_id) from credit)
             + (select count(*) from credit where not exists (select from claim where id = credit.source_id))
             + (select count(*) from unsettled_claim
                 where not exists (select from claim
                                    where (id, activity_id, user_id, amount_minor)
                                          = (unsettled_claim.claim_id, unsettled_claim.activity_id,
                                             unsettled_claim.user_id, unsettled_claim.amount_minor)))
             + (select count(*) from dead_letter
                 where not exists (select from claim
                                    where (id, activity_id, user_id, amount_minor)
                                          = (dead_letter.claim_id, dead_letter.activity_id,
                                             dead_letter.user_id, dead_letter.amount_minor)))
             as breaches
        from claim
        left join credit on credit.source_id = claim.id
        left join account wallet on wallet.id = credit.credit_account_id
        left join unsettled_claim on unsettled_claim.claim_id = claim.id
        left join dead on dead.claim_id = claim.id`,
    ofLedger: `
      select 0 as examined,
             (select count(*) from unsettled_claim
               where not exists (select from claim where id = claim_id and activity_id = unsettled_claim.activity_id)
                  or not exists (select from activity where id = activity_id))
             + (select count(*) from dead_letter
                 where status in ('open', 'resolved') and not exists (select from activity where id = activity_id))
             as breaches`,
  }),
  ofLedger({
    id: 'I11',
    title: 'no claim has been pending for longer than two minutes',
    subject: 'unsettled claims',
    sql: `
      select count(*) as examined, count(*) filter (where queued_at < now() - interval '2 minutes') as breaches
        from unsettled_claim`,
  }),
  ofKeptRains({
    id: 'I13',
    title: 'the money of every void claim went back once, and a packet that replaces it has its amount',
    subject: 'void claims',
    sql: `
      with void as (select * from dead_letter where status = 'void'),
           returned as (select * from transfer where kind = 'void' and activity_id in (select id from activity)),
           replaced as (select * from top_up where replaces_claim_id is not null)
      select count(*) as examined,
             count(*) filter (where (void.activity_id, void.amount_minor)
                                    is distinct from (returned.activity_id, returned.amount_minor)
                                 or (replaced.id is not null
                                     and (void.activity_id, void.amount_minor, 1)
                                         is distinct from (replaced.activity_id, replaced.amount_minor, packet_count)))
             + count(*) - count(distinct coalesce(void.claim_id, returned.source_id, replaces_claim_id)) as breaches
        from void
        full join returned on returned.source_id = void.claim_id
        full join replaced on replaces_claim_id = void.claim_id`,
  }),
];
