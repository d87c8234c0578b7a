import type { DataSource, EntityManager } from 'typeorm';

/**
 * Makes all processes use the same value, permanently, of a setting that determines the meaning of stored
 * data: the first process to boot records it.
 * @throws Error with one line if this process is configured with another value
 */
export async function agreeOnSetting(
  dataSource: DataSource,
  name: string,
  configured: string,
): Promise<void> {
  await dataSource.query(`insert into setting (name, value) values ($1, $2) on conflict (name) do nothing`, [
    name,
    configured,
  ]);
  const [row] = await dataSource.query<{ value: string }[]>(`select value from setting where name = $1`, [
    name,
  ]);
  if (row?.value === configured) return;
  throw new Error(`${name} is ${configured}, but this data was written with ${row?.value}.`);
}

/** Call it once the data fits the new value. The programs' role may not change settings. */
export async function changeSetting(tx: EntityManager, name: string, value: string): Promise<void> {
  await tx.query(`update setting set value = $2 where name = $1`, [name, value]);
}
