import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';

/**
 * Returns the id of the installation, for the life of the data. The first process to boot makes it;
 * a migration must not, because databases are made from migrated templates.
 */
export async function installationId(dataSource: DataSource): Promise<string> {
  await dataSource.query(
    `insert into setting (name, value) values ('installation', $1) on conflict (name) do nothing`,
    [randomUUID()],
  );
  const [row] = await dataSource.query<{ value: string }[]>(
    `select value from setting where name = 'installation'`,
  );
  return row!.value;
}
