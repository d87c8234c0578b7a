import type { Queries } from '../../src/platform/postgres';
import { invariants } from '../../src/invariants';

/** The ids of the money invariants that do not hold, over all rows that were ever written. */
export async function brokenInvariants(postgres: Queries, minorPerUnit: number): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, sql } of invariants.statements) {
    const values = sql.includes('$1') ? [minorPerUnit] : [];
    const [row] = await postgres.query<{ breaches: string }[]>(sql, values);
    if (row!.breaches !== '0') broken.push(id);
  }
  return broken;
}
