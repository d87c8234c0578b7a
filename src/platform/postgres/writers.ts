/**
 * Selects the transactions that have begun to write into a table. Each takes this lock before it
 * takes an id, and keeps it to its end. Where a snapshot or a sequence was read before, a
 * transaction that is not among them has ended, or takes a higher id than any seen there.
 */
export const writersOf = (table: string): string => `
  select virtualtransaction from pg_locks
   where relation = '${table}'::regclass and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid()
     and database = (select oid from pg_database where datname = current_database())`;
