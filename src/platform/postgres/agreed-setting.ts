import type { DataSource, EntityManager } from 'typeorm';

/**
 * A setting that decides what the stored data means, so that all processes must have the same for ever: the first one
 * to boot records it, and every later one is compared.
 *
 * @throws Error with one line when this process is configured otherwise
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

/** For one whose data has been brought into line with it. The programs' role may not. */
export async function changeSetting(tx: EntityManager, name: string, value: string): Promise<void> {
  await tx.query(`update setting set value = $2 where name = $1`, [name, value]);
}
