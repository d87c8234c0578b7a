import type { Queries } from '../../src/platform/postgres';
import { invariants } from '../../src/invariants';
import type { Installation } from './installation';

/** The ids of the money invariants that do not hold, over all rows ever written. */
export async function brokenInvariants(postgres: Queries): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, sql } of invariants.statements) {
    const [row] = await postgres.query<{ breaches: string }[]>(sql);
    if (row!.breaches !== '0') broken.push(id);
  }
  return broken;
}

/** The same over the database of an installation, without a program that verifies everything. */
export const brokenIn = (rain: Installation): Promise<string[]> =>
  brokenInvariants({ query: rain.sql.bind(rain) as Queries['query'] });
