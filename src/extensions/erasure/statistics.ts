import type { Queries } from '../../platform/postgres';

/**
 * To plan queries, Postgres keeps samples of the values of each column until the table is analyzed again. For a table
 * that seldom changes, that may be years.
 */
export async function forgetStatistics(db: Queries, userId: string): Promise<void> {
  const once = JSON.stringify(userId).slice(1, -1);
  const samples = `concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text)`;
  const tables = await db.query<{ name: string }[]>(
    `select distinct quote_ident(tablename) as name from pg_stats
      where schemaname = current_schema() and (position($1 in ${samples}) > 0 or position($2 in ${samples}) > 0)`,
    [once, JSON.stringify(once).slice(1, -1)],
  );
  for (const { name } of tables) await db.query(`analyze ${name}`);
}
