import type { Queries } from './queries';

/** A zone that comes with an upgrade of Postgres is known after this long. */
const ASKED_AGAIN_MS = 60_000;

interface Known {
  readonly names: Promise<ReadonlySet<string>>;
  readonly askedAtMs: number;
}

let known: Known | undefined;

/**
 * Postgres may know fewer time zones than Node. It reads a file for every zone to answer, even for a single
 * name, so unknown names are answered for a minute from one list of all zones.
 */
export async function knowsTimeZone(db: Queries, timeZone: string): Promise<boolean> {
  if (known && (await known.names).has(timeZone)) return true;
  if (!known || performance.now() - known.askedAtMs >= ASKED_AGAIN_MS) known = ask(db);
  return (await known.names).has(timeZone);
}

function ask(db: Queries): Known {
  const names = namesIn(db);
  names.catch(() => (known = undefined));
  return { names, askedAtMs: performance.now() };
}

async function namesIn(db: Queries): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }[]>('select name from pg_timezone_names');
  return new Set(rows.map(({ name }) => name));
}
