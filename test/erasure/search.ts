import type { RedisClient } from '../../libs/redis-scripts';
import type { Queries } from '../../src/platform/postgres';

/** The id as it appears in JSON, with quotes and backslashes escaped. */
const inJson = (id: string): string => JSON.stringify(id).slice(1, -1);

/** Each column of a table or partition in which a value contains the id. */
export async function columnsWith(db: Queries, id: string): Promise<string[]> {
  const columns = await db.query<{ table: string; name: string }[]>(
    `select relname as table, attname as name
       from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped
      order by 1, 2`,
  );
  const found: string[] = [];
  for (const { table, name } of columns) {
    const [row] = await db.query<{ found: boolean }[]>(
      `select exists(select from ${table}
                      where position($1 in "${name}"::text) > 0 or position($2 in "${name}"::text) > 0) as found`,
      [id, inJson(id)],
    );
    if (row!.found) found.push(`${table}.${name}`);
  }
  return found;
}

/** Each column for which the statistics of Postgres contain the id. */
export async function statisticsWith(db: Queries, id: string): Promise<string[]> {
  const samples = `concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text)`;
  const rows = await db.query<{ name: string }[]>(
    `select tablename || '.' || attname as name from pg_stats
      where schemaname = current_schema() and (position($1 in ${samples}) > 0 or position($2 in ${samples}) > 0)
      order by 1`,
    [inJson(id), inJson(inJson(id))],
  );
  return rows.map(({ name }) => name);
}

/** Every key of Redis whose name or value contains the id. */
export async function keysWith(redis: RedisClient, id: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    const value = JSON.stringify([key, await valueOf(redis, key)]);
    if (value.includes(inJson(id)) || value.includes(inJson(inJson(id)))) found.push(key);
  }
  return found.sort();
}

async function valueOf(redis: RedisClient, key: string): Promise<unknown> {
  const read: Record<string, () => Promise<unknown>> = {
    string: () => redis.get(key),
    hash: () => redis.hgetall(key),
    list: () => redis.lrange(key, 0, -1),
    set: () => redis.smembers(key),
    zset: () => redis.zrange(key, 0, -1),
    stream: () => redis.xrange(key, '-', '+'),
  };
  return read[await redis.type(key)]?.();
}

/** Like {@link columnsWith}, with each column repeated for each occurrence of the text. */
export async function valuesWith(db: Queries, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const column of await columnsWith(db, text)) {
    const [table, name] = column.split('.');
    const [row] = await db.query<{ times: number }[]>(
      `select sum((length(value) - length(replace(value, $1, ''))) / length($1))::integer as times
         from (select "${name}"::text as value from ${table}) as one`,
      [text],
    );
    found.push(...Array.from({ length: row!.times }, () => column));
  }
  return found;
}
