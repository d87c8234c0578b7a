import type { EntityManager } from 'typeorm';
import { pagesOf, type People } from '../../platform/postgres';
import type { LedgerEntry } from './erasure';
import type { ErasureKey } from './erasure-key';
import { asText, type PeopleColumn, peopleTables, renamedValue } from './people-columns';

const VALUES_AT_ONCE = 5_000;

/** Finds the ids that a ledger has. */
export class ForgottenIds {
  private readonly byDigest = new Map<string, LedgerEntry>();

  /**
   * @param entries oldest first: someone who was forgotten twice has two
   * @throws Error with one line if none of the keys has made a digest
   */
  constructor(
    private readonly keys: readonly ErasureKey[],
    entries: readonly LedgerEntry[],
  ) {
    for (const entry of entries) {
      if (!keys.some(({ name }) => name === entry.key))
        throw new Error(
          `The digest of ${entry.pseudonym} was made with another ERASURE_KEY, whose name is ${entry.key}.`,
        );
      if (!this.byDigest.has(entry.digest)) this.byDigest.set(entry.digest, entry);
    }
  }

  entryOf(id: string): LedgerEntry | undefined {
    for (const key of this.keys) {
      const entry = this.byDigest.get(key.digest(id).toString('hex'));
      if (entry) return entry;
    }
    return undefined;
  }
}

/** All ids of people in all tables. */
export async function idsIn(tx: EntityManager, people: People): Promise<Set<string>> {
  await tx.query('set local statement_timeout = 0');
  const ids = new Set<string>();
  for (const { table, columns } of await peopleTables(tx, people))
    for (const column of columns.filter(({ kind }) => kind !== 'digest'))
      for await (const rows of pagesOf<{ value: string }>(tx, distinct(table, column), [], VALUES_AT_ONCE))
        for (const { value } of rows)
          renamedValue(column, value, (id) => {
            ids.add(id);
            return undefined;
          });
  return ids;
}

const distinct = (table: string, column: PeopleColumn): string =>
  `select distinct ${asText(column)} as value from ${table} where ${column.name} is not null and ${column.where}`;
