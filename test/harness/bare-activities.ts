type Query = (sql: string, values: unknown[]) => Promise<{ id: string }[]>;

/** Inserts unpaid active activities into Postgres only; returns their ids. Redis lacks them. */
export async function bareActivities(query: Query, count: number, packets = 1): Promise<string[]> {
  const rows = await query(
    `with wallet as (
       insert into account (owner_id, kind, currency) values (gen_random_uuid(), 'wallet', 'CNY') returning id, owner_id
     ), escrow as (
       insert into account (owner_id, kind, currency)
       select gen_random_uuid(), 'escrow', 'CNY' from generate_series(1, $1::integer) returning id
     ), rain as (
       insert into activity (name, sponsor_id, sponsor_account_id, escrow_account_id, currency, total_minor, packet_count,
                             split, seed, opens_at, closes_at)
       select 'Rain', wallet.owner_id, wallet.id, escrow.id, 'CNY', $2::integer, $2, '{}', '', now(),
              now() + interval '1 hour'
         from escrow, wallet
       returning id
     ), packets as (
       insert into packet (activity_id, no, amount_minor) select id, no, 1 from rain, generate_series(1, $2) as no
     )
     select id from rain order by id`,
    [count, packets],
  );
  return rows.map(({ id }) => id);
}
