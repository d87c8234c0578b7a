import { amongKept, type Invariant, ofLedger } from '../../core/reconciliation';

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

/**
 * Payouts compared with their stories. The name of a payment that two people have resolved is in their
 * approval. A report that contradicts has a name that the payout does not take on.
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
                                          and not exists (select from requested_deed
                                                           where action = 'payout.resolve' and source_id = payout.id
                                                             and terms->>'externalId' = external_id) end) as breaches
    from payout
    left join lateral (select state from payout_event where payout_id = payout.id order by id desc limit 1) as last on true
   where ${which}`;

/**
 * A payout counts when it is begun, and its amount until it is refused. Payouts that former programs made of
 * credits, without a number of wins, count only by their amount.
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

const daySums = (which: string): string => `
  select sum(examined) as examined, sum(breaches) as breaches
    from (${ofUsers(which)} union all ${OF_CHANNELS}) as sums`;

export const payoutInvariants: readonly Invariant[] = [
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
    id: 'I27',
    title: 'the sums of days by which limits refuse are those of the payouts and transfers of that day',
    subject: 'sums of days',
    sql: daySums('true'),
    // By the last days limits still refuse.
    ofLedger: daySums(`day > current_date - 4`),
  },
  {
    id: 'I28',
    title: 'every payout has the state and the payment name that its steps lead to',
    subject: 'payouts',
    sql: TOLD('true'),
    ofLedger: TOLD(`ended_at is null or ended_at > now() - interval '2 days'`),
  },
];
