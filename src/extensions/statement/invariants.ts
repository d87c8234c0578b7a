import type { EntityManager } from 'typeorm';
import type { Computed, ComputedInvariant, Invariant } from '../../core/reconciliation';
import { currencyNumberOf, CurrencyRepository, KnownCurrency } from '../../core/currency';
import { FORMATS, type Issued } from './statement';
import { StatementRepository } from './statement.repository';
import { digestsOf, isKnownVersion } from './texts';

const STATEMENTS_AT_ONCE = 1_000;

/**
 * Each statement by itself and beside its neighbours, each line beside its entry, and each entry of the ledger within
 * the bounds of a statement. Entries that were archived are only in lines.
 */
const fits = (entries: string, ending: string): string => `
  with chained as (
    select *, lag(day) over own as day_before, lag(to_id) over own as to_before, lag(closing_minor) over own as closing_before
      from wallet_statement window own as (partition by account_id order by day)
  ), listed as (
    select chained.account_id, chained.day, count(line.transfer_id) as lines, coalesce(sum(line.amount_minor), 0) as minor,
           max(line.transfer_id) as last_id,
           count(*) filter (where line.transfer_id is not null
                              and case when entry.id is null then archived_range.first_id is null
                                       else (line.kind, line.activity_id, line.at, line.amount_minor,
                                             line.payout_id)
                                            is distinct from
                                            (entry.kind, entry.activity_id, date_trunc('milliseconds', entry.created_at),
                                             case when line.account_id = entry.credit_account_id then entry.amount_minor
                                                  when line.account_id = entry.debit_account_id then -entry.amount_minor end,
                                             case when entry.kind like 'payout%' then entry.source_id end)
                                  end) as strange
      from chained
      left join wallet_statement_line as line
             on line.account_id = chained.account_id and line.transfer_id > from_id and line.transfer_id <= to_id
      left join transfer as entry on entry.id = line.transfer_id
      left join archived_range on line.activity_id >= first_id and line.activity_id < beyond_id
     group by 1, 2
  ), wrong as (
    select account_id, day
      from chained join listed using (account_id, day)
     where opening_minor + minor <> closing_minor or lines <> movements or strange > 0 or from_id < to_before
        or to_id <> coalesce(last_id, from_id)
        or (day = day_before + 1 and (from_id, opening_minor) is distinct from (to_before, closing_before))
        ${ending}
  ), lost as (
    select count(*) as entries
      from chained
      join (${entries}) as entry on entry.account_id = chained.account_id and entry.id > from_id and entry.id <= to_id
     where not exists (select from wallet_statement_line as line
                        where line.account_id = entry.account_id and line.transfer_id = entry.id)
  )
  select (select count(*) from wallet_statement) + (select count(*) from wallet_statement_line) as examined,
         (select count(*) from wrong) + (select entries from lost)
         + (select count(*) from wallet_statement_line as line
             where not exists (select from wallet_statement as own
                                where own.account_id = line.account_id
                                  and line.transfer_id > from_id and line.transfer_id <= to_id)) as breaches`;

const others = (side: string): string =>
  `select ${side} as account_id, id from transfer
    where kind <> 'credit' and ${side} in (select account_id from wallet_statement)`;

const OTHERS = `${others('credit_account_id')} union all ${others('debit_account_id')}`;

const ALL = `
  ${OTHERS}
  union all
  select credit_account_id, id from transfer
   where kind = 'credit' and credit_account_id in (select account_id from wallet_statement)`;

/** An account of which nothing was archived: its balance leads back to each closing balance. */
const LEADS_TO_BALANCE = `
        or (not exists (select from archived_credit as gone where gone.account_id = chained.account_id)
            and (from_id <> 0 and not exists (select from transfer
                                               where id = from_id and account_id in (credit_account_id, debit_account_id))
                 or closing_minor <> (select balance_minor from account where id = chained.account_id)
                - (select coalesce(sum(case when credit_account_id = chained.account_id then amount_minor
                                            else -amount_minor end), 0)
                     from transfer
                    where chained.account_id in (credit_account_id, debit_account_id) and transfer.id > to_id)))`;

/** Writes the texts again. */
async function prove(tx: EntityManager, isWhole: boolean): Promise<Computed> {
  const repository = new StatementRepository(tx.dataSource);
  const currencies = await currenciesByNumber(tx);
  const faults: string[] = [];
  let examined = 0;
  let last = { accountId: '0', day: '2000-01-01' };
  for (;;) {
    const page = await repository.page(tx, last, isWhole, STATEMENTS_AT_ONCE);
    for (const issued of page)
      if (!(await isSame(tx, repository, issued, currencies)))
        faults.push(`The statement of account ${issued.accountId} of ${issued.day} is not what was issued.`);
    examined += page.length;
    if (page.length < STATEMENTS_AT_ONCE) return { examined, faults };
    last = page.at(-1)!;
  }
}

async function isSame(
  tx: EntityManager,
  repository: StatementRepository,
  issued: Issued,
  currencies: ReadonlyMap<number, KnownCurrency>,
): Promise<boolean> {
  if (!isKnownVersion(issued)) return false;
  const currency = currencies.get(currencyNumberOf(issued.accountId))!;
  const digests = await digestsOf(issued, currency, repository.pages(issued, tx));
  return FORMATS.every(
    (format) => digests[format]?.toString('hex') === issued.digests[format]?.toString('hex'),
  );
}

async function currenciesByNumber(tx: EntityManager): Promise<Map<number, KnownCurrency>> {
  const rows = await new CurrencyRepository(tx.dataSource).list(tx);
  return new Map(rows.map((facts) => [facts.number, new KnownCurrency(facts)]));
}

export const statementInvariants: readonly (ComputedInvariant | Invariant)[] = [
  {
    id: 'I41',
    title:
      'every statement has the entries of its account between its bounds and no other, adds up, and begins with what the day before ended with',
    subject: 'statements and their lines',
    sql: fits(ALL, LEADS_TO_BALANCE),
    ofLedger: fits(OTHERS, ''),
  },
  {
    id: 'I42',
    title:
      'every statement is written again, by the version of its texts, with the same bytes as when it was issued',
    subject: 'statements',
    compute: prove,
  },
];
