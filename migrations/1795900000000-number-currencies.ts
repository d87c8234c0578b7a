import type { QueryRunner } from 'typeorm';
import { currencyDigits } from '../libs/money';
import type { Migration } from '../src/platform/postgres';

/**
 * Gives each currency a number, which the ids of its accounts carry in their high bits (decision 56). All
 * existing accounts have ids below 2^48, so their currency is number 0 and no row is rewritten. An older program
 * opens accounts with such ids, in the currency that it has always used.
 *
 * The code of a currency may have twelve characters. `bpchar` without a length stores and compares what
 * `char(3)` does, so neither the table nor its unique index is rewritten; `text` would rewrite both.
 */
export class NumberCurrencies1795900000000 implements Migration {
  readonly serves = 'CreateBaseline1795847537000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table currency (
        number     smallint    not null,
        code       text        not null,
        kind       text        not null,
        decimals   smallint    not null,
        name       text        not null,
        created_at timestamptz not null default now(),
        constraint currency_pkey primary key (number),
        constraint currency_code_unique unique (code),
        constraint currency_number_names_code unique (number, code),
        constraint currency_number_counted check (number >= 0),
        constraint currency_kind_known check (kind in ('money', 'points', 'codes', 'test')),
        constraint currency_decimals_few
          check (decimals between 0 and case kind when 'codes' then 0 when 'points' then 2 else 3 end),
        constraint currency_code_of_kind
          check (code ~ case kind when 'money' then '^[A-Z]{3}$' when 'points' then '^(?!CODE)[A-Z][A-Z0-9]{3,11}$'
                                  when 'codes' then '^CODE[0-9]{1,8}$' else '^XTS$' end)
      );
      create trigger append_only before update or delete or truncate on currency
      for each statement execute function refuse_change()`);
    await enterDefault(runner);
    await runner.query(`alter table account alter column currency type bpchar`);
    await runner.query(`
      alter table account
        add column currency_number smallint not null default 0,
        add constraint account_id_has_currency check (id >> 48 = currency_number) not valid,
        add constraint account_currency_known foreign key (currency_number, currency) references currency (number, code) not valid`);
  }
}

/** A database that no program has used yet has no default: the first one to start enters it. */
async function enterDefault(runner: QueryRunner): Promise<void> {
  const [setting] = (await runner.query(`select value from setting where name = 'CURRENCY'`)) as {
    value: string;
  }[];
  if (!setting) return;
  const name = new Intl.DisplayNames(['en'], { type: 'currency' }).of(setting.value);
  await runner.query(
    `insert into currency (number, code, kind, decimals, name) values (0, $1, 'money', $2, $3)`,
    [setting.value, currencyDigits(setting.value), name],
  );
}
