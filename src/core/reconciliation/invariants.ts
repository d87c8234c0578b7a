import { DAY_SUMS } from './day-sums';
import { amongKept, transfersOf } from './rain-scope';

/** An invariant of the whole database, as queries that answer one row: `examined`, `breaches`. */
export interface Invariant {
  readonly id: string;
  readonly title: string;
  /** The things that `examined` counts. */
  readonly subject: string;
  readonly sql: string;
  /** The part of the query that some activities can answer alone, {@link withinRains}. */
  readonly ofRains?: string;
  /** The part about the whole ledger. `carried` is the effect of sealed activities on accounts. */
  readonly ofLedger?: string;
}

/** The kinds of transfers that belong to no activity. */
const BESIDE_RAINS = `('deposit', 'payout', 'payout-paid', 'payout-refused', 'payout-returned')`;

const TRANSFER_BREACHES = `
             count(*) filter (where amount_minor <= 0
                                 or debit.currency is distinct from credit.currency
                                 or case transfer.kind
                                      when 'deposit' then (debit.kind, credit.kind, transfer.activity_id)
                                        is distinct from ('funding', 'wallet', null)
                                      when 'fund' then (debit.id, debit.kind, debit.owner_id,
                                                        credit.id, credit.kind, credit.owner_id)
                                        is distinct from (sponsor_account_id, 'wallet', sponsor_id,
                                                          escrow_account_id, 'escrow', activity.id::text)
                                      when 'top-up' then (debit.id, credit.id)
                                        is distinct from (sponsor_account_id, escrow_account_id)
                                      when 'void' then (debit.id, credit.id)
                                        is distinct from (escrow_account_id, sponsor_account_id)
                                      when 'refund' then (debit.id, credit.id)
                                        is distinct from (escrow_account_id, sponsor_account_id)
                                      when 'credit' then (debit.id, credit.kind)
                                        is distinct from (escrow_account_id, 'wallet')
                                      when 'payout' then (debit.kind, credit.kind) is distinct from ('wallet', 'outbound')
                                      when 'payout-paid' then (debit.kind, credit.kind)
                                        is distinct from ('outbound', 'funding')
                                      when 'payout-refused' then (debit.kind, credit.kind)
                                        is distinct from ('outbound', 'wallet')
                                      when 'payout-returned' then (debit.kind, credit.kind)
                                        is distinct from ('funding', 'wallet')
                                      else true
                                    end)`;

const TRANSFERS = `
        from transfer
        left join account debit on debit.id = debit_account_id
        left join account credit on credit.id = credit_account_id
        left join activity on activity.id = transfer.activity_id`;

const CURRENCIES_OFF_ZERO = `
               (select count(*)
                  from (select sum(balance_minor) as sum from account group by currency) as total where sum <> 0)`;

/** The net effect of archived credits on accounts. */
export const GONE = `
  select account_id as id, sum(net_minor) as sum
    from archive_balance join archive using (first_activity_id) where detached_at is not null group by 1`;

const BALANCE_BREACHES = (received: string) => `
             count(*) filter (where balance_minor <> ${received} or (kind <> 'funding' and balance_minor < 0))`;

/** The transfers of deposits, of payouts and of activities without a seal, and their net effect on accounts. */
const UNSEALED_MOVES = `
      with rain as (
        select id, escrow_account_id from activity where not exists (select from seal where activity_id = activity.id)
      ), won as not materialized (
        select own.* from rain cross join lateral (select id, activity_id from claim where activity_id = rain.id offset 0) as own
      ), moved as (
        select debit_account_id, credit_account_id, amount_minor
          from (${transfersOf('rain', 'won')}) as explained
        union all
        select debit_account_id, credit_account_id, amount_minor from transfer where kind in ${BESIDE_RAINS}
      ), net as (
        select id, sum(amount_minor) as sum
          from (select credit_account_id as id, amount_minor from moved
                union all
                select debit_account_id, -amount_minor from moved
                union all
                select account_id, net_minor from carried) as change
         group by 1
      )`;

/** Credits of activities with a channel, compared with the rows that follow each until it has left. */
const FOLLOWED = `
  select count(*) as examined,
         count(*) filter (where (credit.activity_id, payout_channel_id, credit_account_id, credit.amount_minor)
                                is distinct from (followed.activity_id, channel_id, wallet_account_id,
                                                  followed.amount_minor)) as breaches
    from (select transfer.*, payout_channel_id from transfer join activity on activity.id = activity_id
           where kind = 'credit' and payout_channel_id is not null) as credit
    full join (select payout_credit.* from payout_credit join activity on activity.id = activity_id) as followed
           on followed.claim_id = credit.source_id`;

/** Payouts that a sweep has made, compared with the credits that left with them. */
const LEFT_WRONGLY = `
  select count(*)
    from (select payout_id as id, min(channel_id) as channel, max(channel_id) as same_channel,
                 min(wallet_account_id) as wallet, max(wallet_account_id) as same_wallet,
                 sum(amount_minor) as amount, count(*) as claims
            from payout_credit where payout_id is not null group by 1) as sent
    full join (select payout.*, coalesce(payout.claims, (detail->>'claims')::integer) as gathered
                 from payout
                 left join payout_event as step on payout_id = payout.id and step.state = 'reserved' and detail ? 'claims'
                where payout.claims is not null or step.id is not null
              ) as payout using (id)
   where (channel, same_channel, wallet, same_wallet, amount, sent.claims)
         is distinct from (channel_id, channel_id, wallet_account_id, wallet_account_id, amount_minor, gathered)`;

/** So many days of a user `confirm.sql` keeps. */
const DAYS_KEPT = 8;

const STRAY_BATCHES = `
  select count(*) from packet_batch where not exists (select from activity where id = packet_batch.activity_id)`;

/**
 * Batches compared with their activities and with those before them. Terms are compared as text, since
 * canonical JSON has one order, and may be no JSON when somebody has edited them. Another check draws
 * the packets from them. Packets without a batch were drawn by a former release, which counted no batches.
 */
const BATCHES = `
  with part as (
    select id, 1 as first_no, seed, split, currency,
           packet_count - coalesce((select sum(packet_count) from top_up where activity_id = activity.id), 0) as count
      from activity
    union all
    select activity_id, first_no, top_up.seed, top_up.split, currency, top_up.packet_count
      from top_up join activity on activity.id = activity_id
  ), numbered as (
    select *, row_number() over (partition by id order by first_no) - 1 as no from part
  )
  select count(*) as examined,
         count(*) filter (where (batch.batch_no, batch.sponsor_id) is distinct from (part.no, activity.sponsor_id)
                             or (terms like format('{"activity":"%s","batch":"%s","count":"%s","currency":"%s","kind":"%s",'
                                                   '%%"previous":"%s",%%"v":"2"}',
                                                   part.id, part.no, part.count, part.currency, part.split->>'kind',
                                                   case when batch.place = 0 then repeat('0', 64)
                                                        else encode(former.commitment, 'hex') end)) is not true
                             or batch.commitment is distinct from
                                case when part.seed ~ '^[0-9a-f]{64}$'
                                     then sha256('hongbao.commit.v1\\000'::bytea || decode(part.seed, 'hex')
                                                 || sha256('hongbao.terms.v1\\000'::bytea || convert_to(terms, 'UTF8')))
                                end)
         + (select count(*) from activity
             where batches <> (select count(*) from packet_batch where activity_id = activity.id)) as breaches
    from numbered as part
    join activity on activity.id = part.id
    join packet_batch as batch on batch.activity_id = part.id and batch.first_no = part.first_no
    left join lateral (select commitment from packet_batch
                        where sponsor_id = batch.sponsor_id and place = batch.place - 1) as former on true`;

/**
 * Counts of wins compared with the claims. A group that has archived activities has more wins than
 * claims here. Activities of one group may differ in their limits, so the largest one that a user
 * has won under is their bound. So many days of a user are kept, and one may be missing only beside
 * them.
 */
const COUNTED_WINS = `
  with rain as (
    select id, sponsor_id, limits->>'group' as group_name, (limits->>'perUser')::integer as per_user,
           (limits->>'perUserPerDay')::integer as per_day, limits->>'timeZone' as zone, archived_at is not null as is_gone
      from activity where limits is not null
  ), won as materialized (
    select sponsor_id, group_name, user_id, to_char(confirmed_at at time zone zone, 'YYYY-MM-DD') as day, per_user, per_day
      from rain cross join lateral (select user_id, confirmed_at from claim where activity_id = rain.id offset 0) as own
  ), gone as (
    select distinct sponsor_id, group_name from rain where is_gone
  ), total as (
    select sponsor_id, group_name, user_id, count(*) as wins,
           case when count(per_user) = count(*) then max(per_user) end as most
      from won group by 1, 2, 3
  ), of_day as (
    select sponsor_id, group_name, user_id, day, count(*) as wins,
           case when count(per_day) = count(*) then max(per_day) end as most
      from won group by 1, 2, 3, 4
  ), counted as (
    select win_count.*, gone.sponsor_id is not null as is_parted from win_count left join gone using (sponsor_id, group_name)
  ), counted_day as (
    select sponsor_id, group_name, user_id, is_parted, key as day, value::integer as wins
      from counted cross join lateral jsonb_each_text(days)
  ), of_days as (
    select sponsor_id, group_name, user_id, sum(wins) as wins from counted_day group by 1, 2, 3
  ), compared_day as (
    select is_parted, most, counted_day.wins as counted, of_day.wins,
           count(counted_day.day) over (partition by sponsor_id, group_name, user_id) as kept
      from counted_day full join of_day using (sponsor_id, group_name, user_id, day)
  )
  select (select count(*) from counted) as examined,
         (select count(*)
            from counted
            full join total using (sponsor_id, group_name, user_id)
            left join of_days using (sponsor_id, group_name, user_id)
           where coalesce(counted.wins, 0) < greatest(total.wins, of_days.wins)
              or (not is_parted and counted.wins > coalesce(total.wins, 0))
              or total.wins > most)
         + (select count(*) from compared_day
             where counted < wins
                or (counted is null and kept < ${DAYS_KEPT})
                or (not is_parted and counted > coalesce(wins, 0))
                or wins > most) as breaches`;

/**
 * Payouts compared with their stories. The name of a payment that two people have resolved is in their
 * approval. A report that contradicts brings a name that the payout does not take.
 */
const TOLD = (which: string): string => `
  select count(*) as examined,
         count(*) filter (where payout.state <> coalesce(last.state, 'review')
                             or case when external_id is null
                                     then exists (select from payout_event
                                                   where payout_id = payout.id and detail ? 'externalId'
                                                     and not detail ? 'reported')
                                     else not exists (select from payout_event
                                                       where payout_id = payout.id and detail->>'externalId' = external_id)
                                          and not exists (select from approval
                                                           where action = 'payout.resolve' and source_id = payout.id
                                                             and terms->>'externalId' = external_id) end) as breaches
    from payout
    left join lateral (select state from payout_event where payout_id = payout.id order by id desc limit 1) as last on true
   where ${which}`;

/**
 * Claims compared with the leaves of their activities. What comes after the last checkpoint is judged only
 * where no checkpoint follows any more. A deleted salt leaves a leaf that names nobody.
 */
const LOGGED = `
  with last as (
    select claims_to, signed_at from claim_checkpoint order by tree_size desc limit 1
  ), leaf as (
    select own.*, salt
      from activity
     cross join lateral (select * from claim_leaf where activity_id = activity.id offset 0) as own
      left join claim_salt using (leaf_index)
  )
  select count(*) as examined,
         count(*) filter (where claim.id is null
                             or leaf.confirmed_at <> claim.confirmed_at
                             or leaf.user_hash <> sha256('hongbao.claim-user.v1\\000'::bytea
                                                         || convert_to(claim.user_id, 'UTF8') || salt)
                             or (leaf.leaf_index is null
                                 and (claim.id <= claims_to
                                      or greatest(claim.confirmed_at, signed_at) < now() - interval '2 minutes'))) as breaches
    from claim
    full join leaf on leaf.activity_id = claim.activity_id and leaf.packet_no = claim.packet_no
   cross join last`;

const ofRains = (invariant: Invariant): Invariant => ({ ...invariant, ofRains: invariant.sql });

/** One that needs packets, claims or credits: over all data it skips archived activities. */
const ofKeptRains = (invariant: Invariant): Invariant => ({
  ...invariant,
  sql: amongKept(invariant.sql),
  ofRains: invariant.sql,
});

const ofLedger = (invariant: Invariant): Invariant => ({ ...invariant, ofLedger: invariant.sql });

/**
 * The invariants hold even while packets are grabbed or after a crash. Each is one statement, and
 * so is evaluated in one snapshot.
 */
export const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I1',
    title:
      'every transfer moves a positive amount between the two accounts that its kind asks for, and all balances add up to zero',
    subject: 'transfers',
    sql: `select count(*) as examined, ${TRANSFER_BREACHES} + ${CURRENCIES_OFF_ZERO} as breaches ${TRANSFERS}`,
    ofRains: `select count(*) as examined, ${TRANSFER_BREACHES} as breaches ${TRANSFERS}`,
    ofLedger: `
      select count(*) as examined, ${TRANSFER_BREACHES} + ${CURRENCIES_OFF_ZERO} as breaches
             ${TRANSFERS} where transfer.kind in ${BESIDE_RAINS}`,
  },
  {
    id: 'I2',
    title:
      'every balance is the sum of its transfers, those that were archived included, and none but funding is negative',
    subject: 'accounts',
    sql: `
      select count(*) as examined,
             ${BALANCE_BREACHES('coalesce(received.sum, 0) - coalesce(paid.sum, 0) + coalesce(gone.sum, 0)')} as breaches
        from account
        left join (select credit_account_id as id, sum(amount_minor) from transfer group by 1) as received using (id)
        left join (select debit_account_id as id, sum(amount_minor) from transfer group by 1) as paid using (id)
        left join (${GONE}) as gone using (id)`,
    ofLedger: `
      ${UNSEALED_MOVES}
      select count(*) as examined, ${BALANCE_BREACHES('coalesce(net.sum, 0)')} as breaches
        from account left join net using (id)`,
  },
  ofKeptRains({
    id: 'I3',
    title:
      'the packets of every activity, and of every top-up, add up to its amount, their number is right, and none is out of its bounds',
    subject: 'activities',
    sql: `
      with part as (
        select activity_id as id, first_no, packet_count, amount_minor, split from top_up
        union all
        select id, 1, packet_count - coalesce(added.count, 0), total_minor - coalesce(added.sum, 0), split
          from activity
          left join (select activity_id as id, sum(packet_count) as count, sum(amount_minor) as sum
                       from top_up group by 1) as added using (id)
      ), placed as (
        select *, 1 + sum(packet_count) over (partition by id order by first_no) - packet_count as right_no from part
      ), wrong as (
        select placed.id, count(*) as parts
          from placed
         cross join (select $1::numeric as minor_per_unit) as currency
         cross join lateral (select count(*), sum(amount_minor), min(amount_minor) as least, max(amount_minor) as most
                               from packet
                              where activity_id = placed.id
                                and no >= first_no and no < first_no + placed.packet_count) as packets
         where first_no <> right_no
            or packets.count <> packet_count
            or packets.sum is distinct from amount_minor
            or packets.least < greatest(1, coalesce((split->>'min')::numeric * minor_per_unit, 1))
            or packets.most > coalesce((split->>'max')::numeric * minor_per_unit, amount_minor)
         group by 1
      )
      select count(*) as examined,
             count(*) filter (where packets.count is distinct from packet_count
                                 or packets.sum is distinct from total_minor
                                 or wrong.parts > 0)
             + (select count(*) from top_up where not exists (select from activity where id = top_up.activity_id))
             as breaches
        from activity
        left join (select activity_id as id, count(*), sum(amount_minor) from packet group by 1) as packets using (id)
        left join wrong using (id)`,
    ofLedger: `
      select 0 as examined, count(*) as breaches
        from top_up where not exists (select from activity where id = top_up.activity_id)`,
  }),
  ofRains({
    id: 'I4',
    title:
      'a packet has at most one claim, a user at most one claim per activity, and a claim the amount of its packet',
    subject: 'claims',
    sql: `
      select count(*) as examined,
             count(*) filter (where packet.amount_minor is distinct from claim.amount_minor)
             + (select coalesce(sum(more), 0)
                  from (select count(*) - 1 as more from claim group by activity_id, packet_no) as of_packet)
             + (select coalesce(sum(more), 0)
                  from (select count(*) - 1 as more from claim group by activity_id, user_id) as of_user) as breaches
        from claim
        left join packet on packet.activity_id = claim.activity_id and packet.no = claim.packet_no`,
  }),
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
  ofKeptRains({
    id: 'I6',
    title:
      'funded = credited + pending + dead + void + refunded + unclaimed, and escrow = funded - credited - void - refunded',
    subject: 'activities',
    sql: `
      with moved as (
        select activity_id as id,
               coalesce(sum(amount_minor) filter (where kind in ('fund', 'top-up')), 0) as funded,
               coalesce(sum(amount_minor) filter (where kind = 'credit'), 0) as credited,
               coalesce(sum(amount_minor) filter (where kind in ('void', 'refund')), 0) as returned
          from transfer where activity_id is not null group by 1
      ), pending as (
        select activity_id as id, sum(amount_minor) as pending from unsettled_claim group by 1
      ), dead as (
        select activity_id as id, sum(amount_minor) as dead
          from dead_letter where status in ('open', 'resolved') group by 1
      ), packets as (
        select activity_id as id, sum(amount_minor) as packed from packet group by 1
      ), claims as (
        select activity_id as id, sum(amount_minor) as claimed from claim group by 1
      )
      select count(*) as examined,
             count(*) filter (where funded is distinct from credited + coalesce(pending, 0) + coalesce(dead, 0) + returned
                                      + case when activity.status = 'active'
                                             then packed - coalesce(claimed, 0) else 0 end
                                 or escrow.balance_minor is distinct from funded - credited - returned) as breaches
        from activity
        join account escrow on escrow.id = escrow_account_id
        left join moved on moved.id = activity.id
        left join pending on pending.id = activity.id
        left join dead on dead.id = activity.id
        left join packets on packets.id = activity.id
        left join claims on claims.id = activity.id`,
  }),
  ofKeptRains({
    id: 'I7',
    title:
      'an activity is refunded once, after its close, exactly what nobody claimed, so that no claim came after the close',
    subject: 'activities',
    // Sums are compared, not dates: two moments of a clock that was set back do not show which came
    // first. A claim that was written after the refund was computed is one that the refund has not
    // left out.
    sql: `
      select count(*) as examined,
             count(*) filter (where refunds > 1
                                 or (activity.status = 'active' and refunds > 0)
                                 or (activity.status <> 'active' and refunded is distinct from packed - claimed)) as breaches
        from activity
        left join (select source_id as id, count(*) as refunds, sum(amount_minor) as sum
                     from transfer where kind = 'refund' group by 1) as refund using (id)
        left join (select activity_id as id, sum(amount_minor) as packed from packet group by 1) as packets using (id)
        left join (select activity_id as id, sum(amount_minor) as sum from claim group by 1) as claims using (id)
       cross join lateral (select coalesce(claims.sum, 0) as claimed, coalesce(refund.sum, 0) as refunded) as c`,
  }),
  ofLedger({
    id: 'I10',
    title:
      'no two deposits belong to one Idempotency-Key, and those of the last hour to one that was answered or approved',
    subject: 'deposits',
    // Keys are forgotten after IDEMPOTENCY_KEPT_SECONDS, at least an hour. An approval may come
    // later than that.
    sql: `
      select count(*) as examined,
             count(*) filter (where idempotency_key.id is null and approval.id is null
                                and transfer.created_at > now() - interval '1 hour')
             + count(*) - count(distinct transfer.source_id) as breaches
        from transfer
        left join idempotency_key on idempotency_key.id = transfer.source_id
        left join approval on approval.source_id = transfer.source_id
                          and approval.action = 'wallet.deposit' and approval.status = 'approved'
       where transfer.kind = 'deposit'`,
  }),
  ofLedger({
    id: 'I11',
    title: 'no claim has been pending for longer than two minutes',
    subject: 'unsettled claims',
    sql: `
      select count(*) as examined, count(*) filter (where queued_at < now() - interval '2 minutes') as breaches
        from unsettled_claim`,
  }),
  ofRains({
    id: 'I12',
    title: 'every top-up was paid for by exactly one transfer of its amount',
    subject: 'top-ups',
    sql: `
      select count(*) as examined,
             count(*) filter (where (top_up.activity_id, top_up.amount_minor)
                                    is distinct from (paid.activity_id, paid.amount_minor))
             + count(*) - count(distinct coalesce(top_up.id, paid.source_id)) as breaches
        from top_up
        full join (select * from transfer where kind = 'top-up') as paid on paid.source_id = top_up.id`,
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
  ofLedger({
    id: 'I15',
    title:
      'what somebody has approved has happened once, as it was asked for by somebody else, and no deposit that nobody approved',
    subject: 'approvals',
    sql: `
      select count(*) as examined,
             count(*) filter (where decided_by = asked_by
                                 or case when approval.status = 'approved'
                                         then (transfer.amount_minor,
                                               coalesce(wallet.owner_id, addition.activity_id::text, subject_id))
                                              is distinct from (approval.amount_minor, subject_id)
                                         else action in ('wallet.deposit', 'payout.reserve') and transfer.id is not null end)
             + count(*) filter (where approval.status = 'approved')
             - count(distinct (action, coalesce(result_id, approval.source_id)))
                 filter (where approval.status = 'approved') as breaches
        from approval
        left join transfer on transfer.source_id = coalesce(result_id, approval.source_id)
                          and transfer.kind = case action when 'wallet.deposit' then 'deposit'
                                                          when 'dead-letter.void' then 'void'
                                                          when 'activity.create' then 'fund'
                                                          when 'activity.top-up' then 'top-up'
                                                          when 'payout.reserve' then 'payout'
                                                          else 'payout-' || (terms->>'outcome') end
                          and (result_id is not null or action not in ('activity.create', 'activity.top-up'))
        left join top_up addition on addition.id = result_id and action = 'activity.top-up'
        left join account wallet on wallet.id = case action when 'wallet.deposit' then credit_account_id
                                                            when 'activity.create' then debit_account_id end`,
  }),
  {
    id: 'I16',
    title:
      'the credits of a wallet are one chain, from the last one that it names to the first, less what was archived',
    subject: 'credits',
    // Each credit names an older one, no two name the same, and one names none: so there is one
    // path through all of them. Archiving may have cut it.
    sql: `
      with gone as (
        select id from activity where archived_at is not null
      ), credit as (
        select transfer.id, activity_id, credit_account_id as wallet_id, previous_credit_in,
               gone.id is not null as is_parted
          from transfer left join gone on gone.id = previous_credit_in where kind = 'credit'
      ), chain as (
        select wallet_id, count(*) filter (where not is_parted) as credits,
               count(distinct previous_credit_in) filter (where not is_parted) as named,
               bool_or(is_parted) as is_parted, max(id) as last_id
          from credit group by 1
      )
      select (select count(*) from credit) as examined,
             (select count(*) from credit left join credit as former
                                on (former.wallet_id, former.activity_id) = (credit.wallet_id, credit.previous_credit_in)
               where credit.previous_credit_in is not null and not credit.is_parted
                 and (former.id < credit.id) is not true)
             + count(*) filter (where coalesce(credits - named, 0) <> case when credits > 0 then 1 else 0 end
                                  and not (chain.is_parted and credits = named)
                                   or (account.last_credit_in is distinct from last.activity_id
                                       and not exists (select from gone where id = account.last_credit_in))) as breaches
        from account
        left join chain on wallet_id = account.id
        left join credit as last on last.id = last_id`,
    ofRains: `
      select count(*) as examined,
             count(*) filter (where previous_credit_in is not null and archived_at is null
                                and (former.id < transfer.id) is not true) as breaches
        from transfer
        left join public.activity as previous on previous.id = previous_credit_in
        left join account wallet on wallet.id = credit_account_id
        left join lateral (
          select moved.id
            from public.claim as won
            join public.transfer as moved on moved.kind = 'credit' and moved.source_id = won.id
                                         and moved.activity_id = won.activity_id
           where won.activity_id = transfer.previous_credit_in and won.user_id = wallet.owner_id
             and moved.credit_account_id = wallet.id
          offset 0
        ) as former on true
       where transfer.kind = 'credit'`,
  },
  ofLedger({
    id: 'I17',
    title:
      'the transfers of every payout follow its state, and an outbound account holds what its payouts that have not ended move',
    subject: 'payouts',
    sql: `
      with moved as (
        select source_id as id,
               count(*) filter (where kind = 'payout')::int as reserved,
               count(*) filter (where kind = 'payout-paid')::int as paid,
               count(*) filter (where kind = 'payout-refused')::int as refused,
               count(*) filter (where kind = 'payout-returned')::int as returned,
               min(amount_minor) as least, max(amount_minor) as most,
               array_agg(distinct debit_account_id) || array_agg(distinct credit_account_id) as accounts
          from transfer
         where kind in ('payout', 'payout-paid', 'payout-refused', 'payout-returned') group by 1
      ), judged as (
        select count(*) as examined,
               count(*) filter (
                 where payout.id is null
                    or channel.id is null
                    or wallet.owner_id is distinct from payout.user_id
                    or (coalesce(reserved, 0), coalesce(paid, 0), coalesce(refused, 0), coalesce(returned, 0))
                       is distinct from case when state = 'review' then (0, 0, 0, 0)
                                             when state = 'refused' and reserved is null then (0, 0, 0, 0)
                                             when state = 'refused' then (1, 0, 1, 0)
                                             when state = 'paid' then (1, 1, 0, 0)
                                             when state = 'returned' then (1, 1, 0, 1)
                                             else (1, 0, 0, 0) end
                    or least <> payout.amount_minor or most <> payout.amount_minor
                    or not accounts <@ array[wallet_account_id, outbound_account_id, funding.id]
               ) as breaches
          from payout
          full join moved using (id)
          left join payout_channel as channel on channel.id = channel_id
          left join account wallet on wallet.id = wallet_account_id and wallet.kind = 'wallet'
          left join account funding on funding.kind = 'funding' and funding.currency = wallet.currency
      )
      select examined,
             breaches
             + (select count(*)
                  from account
                  left join payout_channel as channel on outbound_account_id = account.id
                  left join (select channel_id, sum(amount_minor) from payout
                              where ended_at is null and state <> 'review' group by 1) as open on channel_id = channel.id
                 where account.kind = 'outbound' and balance_minor is distinct from coalesce(open.sum, 0)) as breaches
        from judged`,
  }),
  ofLedger({
    id: 'I18',
    title: 'no finding about a payout is open',
    subject: 'findings',
    sql: `select count(*) as examined, count(*) filter (where ended_at is null) as breaches from payout_finding`,
  }),
  {
    id: 'I19',
    title:
      'every credit of an activity with a channel is unsent, in exactly one payout of its sum, or released to the wallet',
    subject: 'credits with a channel',
    // A refused payout has released its credits.
    sql: amongKept(`select examined, breaches + (${LEFT_WRONGLY}) as breaches from (${FOLLOWED}) as credits`),
    ofRains: FOLLOWED,
    ofLedger: `select 0 as examined, (${LEFT_WRONGLY}) as breaches`,
  },
  {
    id: 'I22',
    title:
      'every batch of packets is what was committed to, by the terms and the seed of its activity, after the batch before it',
    subject: 'batches',
    sql: `select examined, breaches + (${STRAY_BATCHES}) as breaches from (${BATCHES}) as committed`,
    ofRains: BATCHES,
    ofLedger: `select 0 as examined, (${STRAY_BATCHES}) as breaches`,
  },
  ofLedger({
    id: 'I24',
    title: 'the wins that limits count are the claims, and no user has more than a limit allows',
    subject: 'counts of wins',
    sql: COUNTED_WINS,
  }),
  ofKeptRains({
    id: 'I25',
    title:
      'every claim up to the last checkpoint is in the log of claims once, as it was confirmed, and nothing else is',
    subject: 'claims and leaves',
    sql: LOGGED,
  }),
  {
    id: 'I27',
    title: 'the sums of days by which limits refuse are those of the payouts and transfers of that day',
    subject: 'sums of days',
    sql: DAY_SUMS.all,
    ofLedger: DAY_SUMS.recent,
  },
  {
    id: 'I28',
    title: 'every payout has the state and the name of its payment that its story tells',
    subject: 'payouts',
    sql: TOLD('true'),
    ofLedger: TOLD(`ended_at is null or ended_at > now() - interval '2 days'`),
  },
];
