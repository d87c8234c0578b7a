import type { Queries } from '../../src/platform/postgres';
import { books, rain } from '../harness/shared-books';
import { verificationOver } from '../reconciliation/verifying';
import { erase, requestErasure } from './erasing';
import { live } from './person';

export const pseudonyms = async (): Promise<string[]> =>
  (
    await books.dataSource.query<{ pseudonym: string }[]>(
      `select pseudonym from erasure where pseudonym is not null order by id`,
    )
  ).map(({ pseudonym }) => pseudonym);

/** Lets someone live, be sealed and be forgotten. Returns their rains and their pseudonym. */
export async function forgotten(id: string) {
  const life = await live(rain, id);
  await verificationOver().verifyUnsealed();
  await requestErasure(id);
  expect(await erase()).toBe(1);
  return { life, pseudonym: (await pseudonyms()).at(-1)! };
}

/** All rows of all tables, except those that record an erasure. */
export async function rows(db: Queries = books.dataSource): Promise<string[]> {
  const tables = await db.query<{ name: string }[]>(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace
        and relname not in ('erasure', 'seal_revision', 'claim_salt', 'thanks') order by 1`,
  );
  const all: string[] = [];
  for (const { name } of tables)
    all.push(
      ...(
        await db.query<{ row: string }[]>(
          `select '${name} ' || (to_jsonb(one) - 'fingerprint')::text as row from ${name} as one`,
        )
      ).map(({ row }) => row),
    );
  return all.sort();
}
