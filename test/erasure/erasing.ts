import { extensions } from '../../src/extensions';
import { Erasing, TapTraces } from '../../src/extensions/erasure';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { books, dispensing } from '../harness/shared-books';
import { insertErasure } from './insert-erasure';

export const ERASURE_KEY = Buffer.alloc(32, 9).toString('base64');

export const parts = {
  schema,
  forgetting: extensions.flatMap((extension) => extension.forgetting ?? []),
  evidence: invariants.evidence,
  traces: { forget: (id: string) => new TapTraces(books.dataSource, dispensing.own).forget(id) },
};

/** Does what `npm run erasure` does. */
export function erase(
  report: (line: string) => void = () => undefined,
  settings: Partial<typeof books.config> = {},
): Promise<number> {
  return new Erasing(
    books.dataSource,
    { ...books.config, ERASURE_KEY, ERASURE_KEEP_DAYS: 0, ...settings },
    parts,
    report,
  ).run();
}

export const requestErasure = (id: string): Promise<unknown> =>
  insertErasure(books.dataSource, { userId: id, by: 'operator' });

/** The number of salted leaves that the wins of an activity have in the log. */
export async function saltsOf(activityId: string, { dataSource } = books): Promise<number> {
  const salts = await dataSource.query<unknown[]>(
    `select from claim_salt join claim_leaf using (leaf_index) where activity_id = $1`,
    [activityId],
  );
  return salts.length;
}
