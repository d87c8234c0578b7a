import { type Invariant, ofKeptRains, ofLedger, ofRains } from './invariant';

/** The number of days per user that `confirm.sql` keeps. */
const DAYS_KEPT = 8;

const STRAY_BATCHES = `
  select count(*) from packet_batch where not exists (select from activity where id = packet_batch.activity_id)`;

/**
 * Batches compared with their activities and with those before them. Terms are compared as text, since
 * canonical JSON has one order, and may not be JSON any more if someone has edited them. Another check draws
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
                             or (terms like format('{"activity":"%s","batch":"%s",%s"count":"%s","currency":"%s","kind":"%s",'
                                                   '%%"previous":"%s",%s"v":"%s"}',
                                                   part.id, part.no, word.commitment,
                                                   part.count, part.currency, part.split->>'kind',
                                                   case when batch.place = 0 then repeat('0', 64)
                                                        else encode(former.commitment, 'hex') end,
                                                   word.of_sponsor, word.version)) is not true
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
                        where sponsor_id = batch.sponsor_id and place = batch.place - 1) as former on true
    cross join lateral (
      select case when terms like '%"v":"3"}' then 3 else 2 end as version
    ) as written
    cross join lateral (
      select version,
             case when version = 3
                  then format('"commitment":"%s",',
                              encode(sha256('hongbao.seed.v1\\000'::bytea
                                            || case when part.seed ~ '^[0-9a-f]{64}$' then decode(part.seed, 'hex') end), 'hex'))
                  else '' end as commitment,
             case when version = 3 then '"sponsorSeed":"' || repeat('_', 64) || '",%' else '%' end as of_sponsor
    ) as word`;

/**
 * Counts of wins compared with the claims. A group that has archived activities has more wins than claims
 * here. Activities of one group may differ in their limits, so the largest one that a user has won under is
 * their bound. Only this many days of a user are kept, and a day may be missing only if that many are there.
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

/** What activities hold and give. */
export const RAIN_INVARIANTS: readonly Invariant[] = [
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
          left join (select activity.id, 10::numeric ^ decimals as minor_per_unit
                       from activity join currency on code = activity.currency) as unit on unit.id = placed.id
         cross join lateral (select count(*), sum(amount_minor), min(amount_minor) as least, max(amount_minor) as most
                               from packet
                              where activity_id = placed.id
                                and no >= first_no and no < first_no + placed.packet_count) as packets
         where first_no <> right_no
            or packets.count <> packet_count
            or packets.sum is distinct from amount_minor
            or minor_per_unit is null
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
];
