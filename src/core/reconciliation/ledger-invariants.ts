import { type CurrencyDigits, formatMoney } from '../../../libs/money';
import { PLAY_MONEY } from '../currency';
import { type ComputedInvariant, type Invariant, ofLedger } from './invariant';
import { transfersOf } from './rain-scope';

/** The kinds of transfers that belong to no activity. */
const BESIDE_RAINS = `('deposit', 'reversal', 'payout', 'payout-paid', 'payout-refused', 'payout-returned')`;

const TRANSFER_BREACHES = `
             count(*) filter (where amount_minor <= 0
                                 or debit.currency is distinct from credit.currency
                                 or case transfer.kind
                                      when 'deposit' then (debit.kind, credit.kind, transfer.activity_id)
                                        is distinct from ('funding', 'wallet', null)
                                      when 'reversal' then (debit.kind, credit.kind, transfer.activity_id)
                                        is distinct from ('wallet', 'funding', null)
                                      when 'fund' then (debit.id, debit.kind, debit.owner_id,
                                                        credit.id, credit.kind, credit.owner_id, credit.currency)
                                        is distinct from (sponsor_account_id, 'wallet', sponsor_id,
                                                          escrow_account_id, 'escrow', activity.id::text, activity.currency)
                                      when 'top-up' then (debit.id, credit.id)
                                        is distinct from (sponsor_account_id, escrow_account_id)
                                      when 'void' then (debit.id, case when is_backed then credit.kind
                                                                       else credit.id::text end)
                                        is distinct from (escrow_account_id, case when is_backed then 'funding'
                                                                                  else sponsor_account_id::text end)
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
        left join activity on activity.id = transfer.activity_id
        left join (select code, kind = 'codes' as is_backed from currency) as unit on unit.code = activity.currency`;

const CURRENCIES_OFF_ZERO = `
               (select count(*)
                  from (select sum(balance_minor) as sum from account group by currency) as total where sum <> 0)`;

/** Names the currencies that I1 only counts. */
export const BALANCED_CURRENCIES: ComputedInvariant = {
  id: 'I30',
  title:
    'the balances of each currency add up to zero, its code is one of its kind, and every account is of the currency that its id names',
  subject: 'currencies',
  async compute(tx) {
    const rows = await tx.query<
      { code: string; minor: string; decimals: number; strange: number; fits: boolean }[]
    >(
      `select code, decimals, coalesce(sum(balance_minor), 0)::text as minor,
              count(*) filter (where id >> 48 <> number)::int as strange,
              currency.kind = case when code ~ '^CODE' then 'codes' when length(code) > 3 then 'points'
                                   when code = 'XTS' and currency.kind = 'test' then 'test' else 'money' end as fits
         from currency left join account on account.currency = code
        group by code, decimals, currency.kind, number
        order by code`,
    );
    const faults = rows.flatMap(({ code, minor, decimals, strange, fits }) => [
      ...(fits ? [] : [`${code} is not the code of a currency of its kind.`]),
      ...(minor === '0' ? [] : [`The balances in ${code} add up to ${written(minor, decimals)}.`]),
      ...(strange === 0 ? [] : [`${strange} accounts in ${code} have ids of another currency.`]),
    ]);
    return { examined: rows.length, faults };
  },
};

const written = (minor: string, decimals: number): string =>
  formatMoney(BigInt(minor), decimals as CurrencyDigits);

/** The net effect of archived credits on accounts. */
export const GONE = `select account_id as id, sum(net_minor) as sum from archived_credit group by 1`;

const BALANCE_BREACHES = (received: string) => `
             count(*) filter (where balance_minor <> ${received} or (kind <> 'funding' and balance_minor < 0))`;

/** The transfers of deposits, reversals, payouts and activities without a seal, and their net effect on accounts. */
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

/**
 * At least the money that entered activities on that day, which is not before the day of the last entry, and at
 * most all money that ever entered them. Packets that replace void ones cost nothing.
 */
const SPENT = `
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

/** The accounts and what moves between them. */
export const LEDGER_INVARIANTS: readonly Invariant[] = [
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
  ofLedger({
    id: 'I10',
    title:
      'no two deposits belong to one Idempotency-Key, and those of the last hour that are worth something to one that was answered or approved',
    subject: 'deposits',
    // Keys are forgotten after IDEMPOTENCY_KEPT_SECONDS, at least an hour. An approval may come
    // later than that. Nobody deposits play money: a rehearsal makes it, which a series creates without a key.
    sql: `
      select count(*) as examined,
             count(*) filter (where idempotency_key.id is null and approved.source_id is null
                                and funding.currency is distinct from '${PLAY_MONEY}'
                                and transfer.created_at > now() - interval '1 hour')
             + count(*) - count(distinct transfer.source_id) as breaches
        from transfer
        left join account as funding on funding.id = debit_account_id
        left join idempotency_key on idempotency_key.id = transfer.source_id
        left join requested_deed as approved on approved.source_id = transfer.source_id
                                            and approved.action = 'wallet.deposit' and approved.status = 'approved'
       where transfer.kind = 'deposit'`,
  }),
  ofLedger({
    id: 'I20',
    title:
      'every reversal has taken one deposit back, whole, from the wallet that got it, and no deposit has two',
    subject: 'reversals',
    sql: `
      select count(*) as examined,
             count(*) filter (where (deposit.debit_account_id, deposit.credit_account_id, deposit.amount_minor)
                                    is distinct from
                                    (transfer.credit_account_id, transfer.debit_account_id, transfer.amount_minor))
             + count(*) - count(distinct transfer.source_id) as breaches
        from transfer
        left join transfer as deposit on deposit.kind = 'deposit' and deposit.id = transfer.source_id
       where transfer.kind = 'reversal'`,
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
    id: 'I27',
    title: 'the sums of days by which limits refuse are those of the payouts and transfers of that day',
    subject: 'sums of days',
    sql: SPENT,
  }),
];
