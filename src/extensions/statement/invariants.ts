import type { EntityManager } from 'typeorm';
import {
  type Computed,
  type ComputedInvariant,
  type Evidence,
  type Invariant,
  withEvidence,
} from '../../core/reconciliation';
import { currencyNumberOf, CurrencyRepository, KnownCurrency } from '../../core/currency';
import { FORMATS, type Issued } from './statement';
import { StatementRepository } from './statement.repository';
import { digestsOf, isKnownVersion } from './texts';

const STATEMENTS_AT_ONCE = 1_000;

/** A line that is not its entry. Entries that were archived are only in lines. */
const IS_STRANGE = `
  case when entry.id is null
       then not exists (select from archived_range where line.activity_id >= first_id and line.activity_id < beyond_id)
       else (line.kind, line.activity_id, line.at, line.amount_minor, line.payout_id)
            is distinct from
            (entry.kind, entry.activity_id, date_trunc('milliseconds', entry.created_at),
             case line.account_id when entry.credit_account_id then entry.amount_minor
                                  when entry.debit_account_id then -entry.amount_minor end,
             case when entry.kind like 'payout%' then entry.source_id end) end`;

/** A statement that does not add up. */
const isWrong = (statement: string): string => `
  ${statement}.opening_minor + listed.minor <> ${statement}.closing_minor or lines <> movements or strange > 0
  or ${statement}.to_id <> coalesce(last_id, ${statement}.from_id)
  or (${statement}.from_id = 0 and ${statement}.opening_minor <> 0)`;

/**
 * All statements in one pass over the entries of their accounts, with running sums at the bounds. Entries between the
 * bounds are in lines, and the sum of all up to the end is the closing balance, as far as none was archived.
 */
const ALL = `
  with bounds as (
    select account_id, from_id as id from wallet_statement union select account_id, to_id from wallet_statement
  ), event as (
    select credit_account_id as account_id, id, amount_minor as minor, 1 as entries from transfer
     where credit_account_id in (select account_id from wallet_statement)
    union all
    select debit_account_id, id, -amount_minor, 1 from transfer
     where kind <> 'credit' and debit_account_id in (select account_id from wallet_statement)
    union all
    select account_id, id, 0, 0 from bounds
  ), running as (
    select account_id, id, entries as own, sum(minor) over up_to as minor, sum(entries) over up_to as entries,
           sum(entries) over (partition by account_id, id) as here
      from event window up_to as (partition by account_id order by id)
  ), bound as (
    select account_id, id, minor, entries, here from running where own = 0
  ), listed as (
    select statement.account_id, statement.day, count(line.transfer_id) as lines,
           coalesce(sum(line.amount_minor), 0) as minor, max(line.transfer_id) as last_id, count(entry.id) as kept,
           count(*) filter (where line.transfer_id is not null and ${IS_STRANGE}) as strange
      from wallet_statement as statement
      left join wallet_statement_line as line
             on line.account_id = statement.account_id and transfer_id > from_id and transfer_id <= to_id
      left join transfer as entry on entry.id = line.transfer_id
     group by 1, 2
  ), chained as (
    select *, lag(day) over own as day_before, lag(to_id) over own as to_before, lag(closing_minor) over own as closing_before
      from wallet_statement window own as (partition by account_id order by day)
  ), wrong as (
    select chained.account_id
      from chained
      join listed using (account_id, day)
      join bound as first on first.account_id = chained.account_id and first.id = from_id
      join bound as last on last.account_id = chained.account_id and last.id = to_id
     cross join lateral (select sum(net_minor) as minor from archived_credit as gone
                          where gone.account_id = chained.account_id) as archived
     where ${isWrong('chained')}
        or from_id < to_before
        or (day = day_before + 1 and (from_id, opening_minor) is distinct from (to_before, closing_before))
        or last.entries - first.entries <> kept
        or closing_minor - last.minor not between 0 and coalesce(archived.minor, 0)
        or (archived.minor is null and from_id <> 0 and first.here = 0)
  ), strayed as (
    select account_id from (
      select account_id, count(*) as lines from wallet_statement_line group by 1
    ) as kept left join (
      select account_id, sum(movements) as lines from wallet_statement group by 1
    ) as issued using (account_id) where kept.lines is distinct from issued.lines
  )
  select (select count(*) from wallet_statement) + (select count(*) from wallet_statement_line) as examined,
         (select count(*) from wrong) + (select count(*) from strayed) as breaches`;

/** The newest credit of a statement. */
function lastCredit(statement: string): string {
  return `
    left join lateral (
      select activity_id from wallet_statement_line as line
       where line.account_id = ${statement}.account_id and kind = 'credit'
         and transfer_id > ${statement}.from_id and transfer_id <= ${statement}.to_id
       order by transfer_id desc limit 1
    ) as last_credit on true`;
}

const hasLine = (from: string, to: string): string =>
  `exists (select from wallet_statement_line as line
            where line.account_id = chosen.account_id and transfer_id > ${from} and transfer_id <= ${to})`;

/** Entries within the bounds that are not credits. */
function othersOf(side: string): string {
  return `(select count(*) from transfer
            where kind <> 'credit' and ${side} = chosen.account_id and id > chosen.from_id and id <= chosen.to_id)`;
}

/**
 * The statements that no run has proven, each with the days before and after it. Credits have no index by account, so
 * each has to name the one before it. Everything is found by its key, however many statements there are.
 */
const UNFIT = `
  select chosen.account_id as "accountId", chosen.day::text as day
    from wallet_statement_unproven
    join wallet_statement as chosen using (account_id, day)
    left join lateral (
      select own.day, own.to_id, own.closing_minor, coalesce(last_credit.activity_id, own.credit_in) as credit_in
        from wallet_statement as own ${lastCredit('own')}
       where own.account_id = chosen.account_id and own.day < chosen.day order by own.day desc limit 1
    ) as before on true
    left join lateral (
      select day, from_id, opening_minor, credit_in from wallet_statement as own
       where own.account_id = chosen.account_id and own.day > chosen.day order by own.day limit 1
    ) as after on true
    ${lastCredit('chosen')}
   cross join lateral (
      select count(*) as lines, coalesce(sum(line.amount_minor), 0) as minor, max(transfer_id) as last_id,
             count(*) filter (where line.kind <> 'credit') as others,
             count(*) filter (where ${IS_STRANGE}
                                 or coalesce(entry.previous_credit_in, 0) <> coalesce(line.credit_before, chosen.credit_in)
                                    and entry.kind = 'credit') as strange
        from (select *, lag(activity_id) over (partition by kind = 'credit' order by transfer_id) as credit_before
                from wallet_statement_line
               where account_id = chosen.account_id
                 and transfer_id > chosen.from_id and transfer_id <= chosen.to_id) as line
        left join lateral (
          select * from transfer
           where line.kind = 'credit' and kind = 'credit' and activity_id = line.activity_id and id = line.transfer_id
          union all
          select * from transfer where line.kind <> 'credit' and kind <> 'credit' and id = line.transfer_id
        ) as entry on true
    ) as listed
   where ${isWrong('chosen')}
      or chosen.from_id < before.to_id or chosen.to_id > after.from_id
      or (before.day = chosen.day - 1
          and (chosen.from_id, chosen.opening_minor, chosen.credit_in)
              is distinct from (before.to_id, before.closing_minor, before.credit_in))
      or (after.day = chosen.day + 1
          and (chosen.to_id, chosen.closing_minor, coalesce(last_credit.activity_id, chosen.credit_in))
              is distinct from (after.from_id, after.opening_minor, after.credit_in))
      or others <> ${othersOf('credit_account_id')} + ${othersOf('debit_account_id')}
      or ${hasLine('coalesce(before.to_id, 0)', 'chosen.from_id')}
      or ${hasLine('chosen.to_id', 'coalesce(after.from_id, 9223372036854775807)')}`;

const NEW = `
  select (select count(*) from wallet_statement_unproven)
         + (select coalesce(sum(movements), 0) from wallet_statement_unproven join wallet_statement using (account_id, day)) as examined,
         (select count(*) from (${UNFIT}) as wrong) as breaches`;

/**
 * Writes the texts again: of all statements, or of those that no run has proven, which are trusted from then
 * on.
 */
async function prove(tx: EntityManager, isWhole: boolean, evidence: Evidence): Promise<Computed> {
  const repository = new StatementRepository(tx.dataSource);
  const currencies = await currenciesByNumber(tx);
  const faults: string[] = [];
  const proven: Issued[] = [];
  let examined = 0;
  let last = { accountId: '0', day: '2000-01-01' };
  for (;;) {
    const page = await repository.page(tx, last, isWhole, STATEMENTS_AT_ONCE);
    for (const issued of page) {
      if (await isSame(tx, repository, issued, currencies)) proven.push(issued);
      else
        faults.push(`The statement of account ${issued.accountId} of ${issued.day} is not what was issued.`);
    }
    examined += page.length;
    if (page.length < STATEMENTS_AT_ONCE) break;
    last = page.at(-1)!;
  }
  if (isWhole) return { examined, faults };
  const rows = await tx.query<Pick<Issued, 'accountId' | 'day'>[]>(withEvidence(UNFIT, evidence));
  const unfit = new Set(rows.map(keyOf));
  const fit = proven.filter((issued) => !unfit.has(keyOf(issued)));
  return { examined, faults, remember: (writing) => repository.believe(writing, fit) };
}

const keyOf = ({ accountId, day }: Pick<Issued, 'accountId' | 'day'>): string => `${accountId} ${day}`;

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
      'every statement has the entries of its account between its bounds and no others, adds up, and begins where the day before ended',
    subject: 'statements and their lines',
    sql: ALL,
    ofLedger: NEW,
  },
  {
    id: 'I42',
    title:
      'every statement is written again, by the version of its texts, with the same bytes as when it was issued',
    subject: 'statements',
    compute: prove,
  },
];
