import type { Queries } from './queries';

/** Postgres may know fewer time zones than Node. */
export async function knowsTimeZone(db: Queries, timeZone: string): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }[]>(
    `select exists (select from pg_timezone_names where name = $1) as known`,
    [timeZone],
  );
  return row!.known;
}
