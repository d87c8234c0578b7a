import type { DataSource, EntityManager } from 'typeorm';
import { partitionsFile } from '../../src/core/activity/schema';

export const CURRENCY = 'CNY';

/** Number of wallets, which stays the same while the ledger grows. */
export const USERS = 100_000;

export const COLLECTOR = 'user-1';

const AMOUNT = '1 + (no * 31) % 499';

export interface Rains {
  readonly activities: number;
  readonly packetsEach: number;
}

export async function createAccounts(db: DataSource): Promise<void> {
  await db.query(
    `insert into currency (number, code, kind, decimals, name) values (0, '${CURRENCY}', 'money', 2, 'Yuan')
     on conflict do nothing`,
  );
  await db.query(
    `insert into account (owner_id, kind, currency)
     values ('outside', 'funding', '${CURRENCY}'), ('sponsor', 'wallet', '${CURRENCY}')`,
  );
  await db.query(
    `insert into account (owner_id, kind, currency)
     select 'user-' || n, 'wallet', '${CURRENCY}' from generate_series(1, $1::int) as n`,
    [USERS],
  );
}

/**
 * Writes closed rains whose packets are all claimed and unpaid, as confirmation and close leave
 * them. Returns the claims in the order of confirmation.
 */
export async function confirmClaims(db: DataSource, rains: Rains): Promise<string[]> {
  return db.transaction(async (tx) => {
    await writeClaims(tx, rains);
    const rows = await tx.query<{ id: string }[]>(
      `with unsettled as (
         insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
         select claim.id, activity_id, user_id, amount_minor from claim join new_rain on new_rain.id = claim.activity_id order by claim.id
         returning claim_id
       )
       select claim_id as id from unsettled order by claim_id`,
    );
    return rows.map(({ id }) => id);
  });
}

export async function openRain(db: DataSource, packets: number): Promise<string> {
  return db.transaction(async (tx) => {
    await writeRains(tx, { activities: 1, packetsEach: packets });
    const [rows] = await tx.query<[{ id: string }[], number]>(
      `update activity set status = 'active', closed_at = null, closes_at = now() + interval '1 hour'
        where id in (select id from new_rain) returning id`,
    );
    return rows[0]!.id;
  });
}

/** Writes rains of the past. Indexes are built at the end, which saves minutes. */
export async function writeHistory(db: DataSource, rains: Rains): Promise<void> {
  await db.transaction((tx) =>
    withoutIndexes(tx, ['packet', 'claim', 'transfer'], async () => {
      await writeClaims(tx, rains);
      await payClaims(tx);
      await leaveToPostgres(tx);
    }),
  );
  await db.query('vacuum analyze');
}

async function payClaims(tx: EntityManager): Promise<void> {
  await tx.query(
    `insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor,
                           previous_credit_in)
     select 'credit', claim.id, claim.activity_id, new_rain.escrow_id, wallet.id, claim.amount_minor,
            coalesce(lag(activity_id) over (partition by user_id order by activity_id), wallet.last_credit_in)
       from claim
       join new_rain on new_rain.id = claim.activity_id
       join account wallet on wallet.owner_id = claim.user_id and wallet.kind = 'wallet'
      order by claim.activity_id, claim.id`,
  );
  await tx.query(
    `update account set balance_minor = balance_minor + won.sum, last_credit_in = won.last
       from (select user_id, sum(amount_minor)::bigint as sum, max(activity_id) as last
               from claim join new_rain on new_rain.id = claim.activity_id group by 1) as won
      where owner_id = won.user_id and kind = 'wallet'`,
  );
  await tx.query(`update account set balance_minor = 0 where id in (select escrow_id from new_rain)`);
}

/** Their time in Redis is over: no sweep has work left with them. */
const leaveToPostgres = (tx: EntityManager): Promise<unknown> =>
  tx.query(
    `update activity set tidied_at = closed_at, forgotten_at = closed_at where id in (select id from new_rain)`,
  );

async function withoutIndexes(
  tx: EntityManager,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const indexes = await tx.query<{ drop: string; create: string }[]>(
    `select coalesce('alter table ' || indrelid::regclass || ' drop constraint ' || conname,
                     'drop index ' || indexrelid::regclass) as drop,
            coalesce('alter table ' || indrelid::regclass || ' add constraint ' || conname || ' '
                       || pg_get_constraintdef(pg_constraint.oid),
                     pg_get_indexdef(indexrelid)) as create
       from pg_index left join pg_constraint on conindid = indexrelid
      where indrelid = any($1::regclass[])`,
    [tables],
  );
  for (const { drop } of indexes) await tx.query(drop);
  await fill();
  for (const { create } of indexes) await tx.query(create);
}

/** Leaves the rains of this transaction in the temporary table new_rain. */
async function writeRains(tx: EntityManager, { activities, packetsEach }: Rains): Promise<void> {
  await tx.query(
    `create temporary table new_rain on commit drop as
     select id, nextval(pg_get_serial_sequence('account', 'id')) as escrow_id, 0::bigint as total_minor
       from (select nextval(pg_get_serial_sequence('activity', 'id')) as id from generate_series(1, $1::int)) as ids`,
    [activities],
  );
  await tx.query(`select make_partitions_${partitionsFile.version}(id, 10000) from new_rain`);
  await writePackets(tx, packetsEach);
  await fundRains(tx, packetsEach);
}

async function writeClaims(tx: EntityManager, rains: Rains): Promise<void> {
  await writeRains(tx, rains);
  // The step is a prime: no two packets of a rain meet the same user.
  await tx.query(
    `insert into claim (activity_id, packet_no, user_id, amount_minor)
     select activity_id, no,
            'user-' || case no when 1 then 1 else 2 + (no * 7919::bigint + activity_id * 104729) % ($1::int - 1) end,
            amount_minor
       from packet join new_rain on new_rain.id = activity_id
      order by activity_id, no desc`,
    [USERS],
  );
}

async function writePackets(tx: EntityManager, packetsEach: number): Promise<void> {
  await tx.query(
    `insert into packet (activity_id, no, amount_minor)
     select id, no, ${AMOUNT} from new_rain, generate_series(1, $1::int) as no order by id, no`,
    [packetsEach],
  );
  await tx.query(
    `update new_rain set total_minor = (select sum(${AMOUNT}) from generate_series(1, $1::int) as no)`,
    [packetsEach],
  );
  // Without statistics the planner reads the whole past to find the claims of a few rains.
  await tx.query('analyze new_rain');
}

async function fundRains(tx: EntityManager, packetsEach: number): Promise<void> {
  await tx.query(
    `insert into account (id, owner_id, kind, currency, balance_minor)
     overriding system value
     select escrow_id, id::text, 'escrow', '${CURRENCY}', total_minor from new_rain`,
  );
  await tx.query(
    `insert into activity (id, name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor,
                           packet_count, split, seed, opens_at, closes_at, status, closed_at)
     overriding system value
     select new_rain.id, 'Rain', 'sponsor', account.id, escrow_id, '${CURRENCY}', total_minor,
            $1, '{"kind":"random"}', repeat('0', 64), now() - interval '1 hour', now(), 'closed', now()
       from new_rain, account
      where owner_id = 'sponsor' and kind = 'wallet'`,
    [packetsEach],
  );
  await tx.query(
    `with key as (
       insert into idempotency_key (principal, key, fingerprint, status, response)
       values ('operator', gen_random_uuid(), sha256(''), 201, '{}') returning id
     ), outside as (
       update account set balance_minor = balance_minor - (select sum(total_minor) from new_rain)
        where owner_id = 'outside' and kind = 'funding'
       returning id
     )
     insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
     select 'deposit', key.id, null, outside.id, sponsor.id, (select sum(total_minor) from new_rain)
       from key, outside, account sponsor
      where sponsor.owner_id = 'sponsor' and sponsor.kind = 'wallet'
     union all
     select 'fund', new_rain.id, new_rain.id, sponsor.id, escrow_id, total_minor
       from new_rain, account sponsor
      where sponsor.owner_id = 'sponsor' and sponsor.kind = 'wallet'`,
  );
}

/** @throws Error unless every claim is credited once, and no money is missing */
export async function assertAllCredited(db: DataSource): Promise<void> {
  const [row] = await db.query<Record<'unsettled' | 'buried' | 'unpaid' | 'escrowed' | 'missing', string>[]>(
    `select (select count(*) from unsettled_claim) as unsettled,
            (select count(*) from dead_letter) as buried,
            (select count(*) from claim) - (select count(*) from transfer where kind = 'credit') as unpaid,
            (select sum(balance_minor) from account where kind = 'escrow') as escrowed,
            (select sum(balance_minor) from account where kind = 'wallet')
              - (select sum(amount_minor) from transfer where kind = 'credit') as missing`,
  );
  const wrong = Object.entries(row!).filter(([, value]) => value !== '0');
  if (wrong.length > 0) throw new Error(`The books are wrong after settlement: ${JSON.stringify(wrong)}.`);
}
