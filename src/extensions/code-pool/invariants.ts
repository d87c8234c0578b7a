import { type Invariant, ofLedger } from '../../core/reconciliation';

const UNITS = `
  select count(*) as examined,
         count(*) filter (where (uploaded, uploaded, uploaded) is distinct from (stored.codes, stored.last_no, minted.units)
                             or free.last_no > uploaded
                             or free.codes <> uploaded - held.codes + home.units) as breaches
    from code_pool as pool
   cross join lateral (select count(*) as codes, coalesce(max(no), 0) as last_no from code where pool_id = pool.id) as stored
   cross join lateral (
     select coalesce(sum(amount_minor), 0) as units
       from account
       join transfer on transfer.kind = 'deposit' and debit_account_id = account.id
       join account as wallet on wallet.id = credit_account_id and wallet.owner_id = pool.sponsor_id
      where account.kind = 'funding' and account.currency = pool.currency) as minted
   cross join lateral (
     select coalesce(sum(count), 0) as codes, coalesce(max(first_no + count - 1), 0) as last_no
       from code_free where pool_id = pool.id) as free
   cross join lateral (select coalesce(sum(count), 0) as codes from code_reserved where pool_id = pool.id) as held
   cross join lateral (
     select coalesce(sum(amount_minor), 0) as units
       from (select distinct activity_id from code_reserved where pool_id = pool.id and returned_at is not null) as returned
       join transfer on kind = 'refund' and source_id = returned.activity_id) as home`;

/** Ranges follow each other when each begins where those before it end. */
const RESERVATIONS = `
  with held as (
    select *, 1 + coalesce(sum(count) over (partition by activity_id order by first_packet_no
                                            rows between unbounded preceding and 1 preceding), 0) as next_packet_no
      from code_reserved
  ), given as (
    select activity_id, sum(count) as codes, bool_or(returned_at is not null) as is_returned,
           bool_or(first_packet_no <> next_packet_no or pool.currency is distinct from activity.currency
                   or first_no + count - 1 > pool.uploaded) as is_wrong
      from held
      left join activity on activity.id = activity_id
      left join code_pool as pool on pool.id = pool_id
     group by 1
  )
  select count(*) as examined,
         count(*) filter (where (given.codes, given.codes) is distinct from (packet_count, total_minor)
                             or is_wrong is distinct from false or (is_returned and status = 'active')) as breaches
    from (select activity.* from activity join currency on code = currency and kind = 'codes') as activity
    full join given on given.activity_id = activity.id`;

/** Codes that nobody else may get: free ones, those of packets that may be won, and those that were won. */
const OWNED = `
  with owned as (
    select pool_id, first_no, count from code_free
    union all
    select pool_id, first_no, count from code_reserved where returned_at is null
    union all
    select pool_id, first_no + packet_no - first_packet_no, 1
      from code_reserved
      join claim on claim.activity_id = code_reserved.activity_id
                and packet_no >= first_packet_no and packet_no < first_packet_no + count
     where returned_at is not null
  ), placed as (
    select first_no, max(first_no + count) over (partition by pool_id order by first_no
                                                 rows between unbounded preceding and 1 preceding) as next_no
      from owned
  )
  select (select count(*) from code_showing)
         + (select count(*) from owned) as examined,
         (select count(*) from placed where first_no < next_no)
         + (select count(*)
              from code_showing as showing
              left join activity on activity.id = showing.activity_id
              left join code_reserved as held
                     on held.activity_id = showing.activity_id
                    and packet_no >= first_packet_no and packet_no < first_packet_no + count
              left join claim on claim.activity_id = showing.activity_id and claim.packet_no = showing.packet_no
              left join transfer on transfer.kind = 'credit' and source_id = claim.id
                                and transfer.activity_id = claim.activity_id
             where archived_at is null
               and ((showing.pool_id, no) is distinct from (held.pool_id, first_no + showing.packet_no - first_packet_no)
                    or claim.user_id is distinct from showing.user_id or transfer.id is null)) as breaches`;

export const codePoolInvariants: readonly Invariant[] = [
  ofLedger({
    id: 'I33',
    title:
      'every code pool has brought one unit into the ledger for each of its codes, and holds those that no activity has',
    subject: 'code pools',
    sql: UNITS,
  }),
  ofLedger({
    id: 'I34',
    title: 'every activity in a currency of codes has reserved one code of its pool for each of its packets',
    subject: 'activities that give codes',
    sql: RESERVATIONS,
  }),
  ofLedger({
    id: 'I35',
    title: 'no code belongs to two packets, and each that was shown is that of a credited packet of its user',
    subject: 'ranges of codes and codes shown',
    sql: OWNED,
  }),
];
