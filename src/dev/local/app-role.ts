import { Client } from 'pg';
import { APP_ROLE } from '../../platform/postgres/app-role';

/**
 * Makes the role of API and worker in a private Postgres. The migration that follows grants its
 * rights.
 * @returns the URL for the same database as that role
 */
export async function asAppRole(ownerDatabaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: ownerDatabaseUrl });
  await client.connect();
  try {
    await client.query(
      `do $$ begin create role ${APP_ROLE} login; exception when duplicate_object then null; end $$`,
    );
  } finally {
    await client.end();
  }
  const url = new URL(ownerDatabaseUrl);
  url.username = APP_ROLE;
  return url.href;
}
