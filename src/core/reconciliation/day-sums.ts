/**
 * The sums of days by which limits refuse, compared with the rows that they count. A sum that is too
 * small lets more money out or in than its limit allows, and no other check reads it.
 */
interface DaySums {
  /** A query that answers `examined` and `breaches`. */
  readonly all: string;
  /** The same of the last days alone, by which limits still refuse. */
  readonly recent: string;
}

/**
 * A payout counts when it is begun, and its amount until it is refused. Those that former programs made of
 * credits, and which name no number of wins, count by their amount alone.
 */
const ofUsers = (which: string): string => `
  select count(*) as examined,
         count(*) filter (where (coalesce(counted.payouts, 0), coalesce(counted.amount_minor, 0))
                                is distinct from (coalesce(made.payouts, 0), coalesce(made.amount_minor, 0))) as breaches
    from (select * from payout_day where ${which}) as counted
    full join (select channel_id, user_id, day, count(*) filter (where claims is not null or gathered.id is null) as payouts,
                      sum(amount_minor) filter (where state <> 'refused') as amount_minor
                 from payout
                 left join (select distinct payout_id as id from payout_credit) as gathered using (id)
                where ${which} group by 1, 2, 3) as made using (channel_id, user_id, day)`;

/**
 * At least what was sent first on the day of the channel. The call is dated by the start of its
 * transaction, so the first minutes may belong to the day before. Staff may have changed the zone.
 */
const OF_CHANNELS = `
  select count(*) as examined, count(*) filter (where day_minor < sent.minor) as breaches
    from payout_pace
    join payout_channel as channel on channel.id = channel_id
   cross join lateral (
     select coalesce(sum(amount_minor), 0) as minor
       from payout
      where payout.channel_id = channel.id
        and first_sent_at >= payout_pace.day::timestamp at time zone (profile->>'timeZone') + interval '10 minutes'
        and first_sent_at < (payout_pace.day + 1)::timestamp at time zone (profile->>'timeZone')
   ) as sent
   where not exists (select from audit_log
                      where subject = 'payout-channel:' || channel.id and action <> 'payout-channel.create'
                        and at > payout_pace.day - interval '2 days')`;

/**
 * At least what has entered activities on that day, which is no day before the last entry, and at most
 * what ever has. Packets that replace void ones take nothing.
 */
const OF_SPONSORS = `
  select count(*) as examined, count(*) filter (where spent_minor < of_day or spent_minor > minor or last_day > day) as breaches
    from budget
   cross join lateral (
     select coalesce(sum(amount_minor), 0) as minor,
            (array_agg((created_at at time zone 'UTC')::date order by id desc))[1] as last_day,
            coalesce(sum(amount_minor) filter (where created_at >= day::timestamp at time zone 'UTC'
                                                 and created_at < (day + 1)::timestamp at time zone 'UTC'), 0) as of_day
       from transfer
      where debit_account_id = wallet_account_id and kind in ('fund', 'top-up')
        and not exists (select from top_up where id = source_id and kind = 'top-up' and replaces_claim_id is not null)
   ) as entered`;

const together = (which: string): string => `
  select sum(examined) as examined, sum(breaches) as breaches
    from (${ofUsers(which)} union all ${OF_CHANNELS} union all ${OF_SPONSORS}) as sums`;

export const DAY_SUMS: DaySums = {
  all: together('true'),
  recent: together(`day > current_date - 4`),
};
