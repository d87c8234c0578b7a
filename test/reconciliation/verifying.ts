import type { DataSource, EntityManager } from 'typeorm';
import { Foundation } from '../../src/core/reconciliation/foundation';
import { withinRains } from '../../src/core/reconciliation/rain-scope';
import { redraw } from '../../src/core/reconciliation/redrawing';
import { RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { books, dispensing } from '../harness/shared-books';

export function verificationOver(
  dataSource: DataSource = books.dataSource,
  proven = invariants,
): VerificationService {
  const agreement = new RedisAgreement(dataSource, dispensing.contents, dispensing.standings);
  const foundation = new Foundation(books.config, schema);
  return new VerificationService(dataSource, agreement, foundation, proven);
}

/** Returns a verification that sees the uncommitted changes of this transaction. */
export const within = (tx: EntityManager): VerificationService => verificationOver(dataSourceIn(tx));

/** A data source whose transactions are all this transaction. */
export const dataSourceIn = (tx: EntityManager): DataSource =>
  ({
    transaction: (_isolation: string, work: (tx: EntityManager) => unknown) => work(tx),
    query: tx.query.bind(tx),
  }) as unknown as DataSource;

/** The findings of `verify`, with and without `--all`, in words. */
export async function broken(): Promise<string[]> {
  const all = await verificationOver().verify();
  const { findings } = await verificationOver().verifyUnsealed();
  return [...all, ...findings]
    .filter(({ breaches }) => breaches > 0)
    .map(({ id, details = [] }) => `${id} ${details.join(' ')}`);
}

const breachesIn = async (tx: EntityManager, sql: string, ...values: unknown[]): Promise<number> =>
  Number((await tx.query<[{ breaches: string }]>(sql, values))[0].breaches);

/** Returns the breaches of one invariant over all data, without checking all the others. */
export async function breachesOf(tx: EntityManager, id: string): Promise<number> {
  const statement = invariants.statements.find((one) => one.id === id);
  if (statement) return breachesIn(tx, statement.sql);
  const computed = invariants.computed.find((one) => one.id === id);
  if (computed) return (await computed.compute(tx, true, invariants.evidence)).faults.length;
  return (await within(tx).verify()).find((finding) => finding.id === id)!.breaches;
}

/** The same as `verify` finds them activity by activity, while nothing is sealed. */
export async function breachesByActivity(tx: EntityManager, id: string): Promise<number> {
  const rains = (await tx.query<{ id: string }[]>('select id from activity')).map((one) => one.id);
  const statement = invariants.statements.find((one) => one.id === id);
  if (statement) {
    const { ofRains, ofLedger } = statement;
    const ofAllRains = ofRains === undefined ? 0 : await breachesIn(tx, withinRains(ofRains), rains);
    return ofAllRains + (ofLedger === undefined ? 0 : await breachesIn(tx, ofLedger));
  }
  const computed = invariants.computed.find((one) => one.id === id);
  if (computed) return (await computed.compute(tx, false, invariants.evidence)).faults.length;
  return (await redraw(tx, rains)).breaches;
}
