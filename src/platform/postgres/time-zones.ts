import type { Queries } from './queries';

/** The zones that Postgres knows. It reads a file for each of them to answer. */
const known = new Set<string>();

/** Postgres may know fewer time zones than Node. */
export async function knowsTimeZone(db: Queries, timeZone: string): Promise<boolean> {
  if (known.has(timeZone)) return true;
  const [row] = await db.query<{ known: boolean }[]>(
    `select exists (select from pg_timezone_names where name = $1) as known`,
    [timeZone],
  );
  if (row!.known) known.add(timeZone);
  return row!.known;
}
