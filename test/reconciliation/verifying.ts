import type { DataSource, EntityManager } from 'typeorm';
import { Foundation } from '../../src/core/reconciliation/foundation';
import { RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { invariants } from '../../src/invariants';
import { schema } from '../../src/schema';
import { books, dispensing } from '../harness/shared-books';

export function verificationOver(dataSource: DataSource, proven = invariants): VerificationService {
  const agreement = new RedisAgreement(dataSource, dispensing.contents, dispensing.standings);
  const foundation = new Foundation(books.config, schema);
  return new VerificationService(dataSource, agreement, foundation, proven);
}

/** Returns a verification that sees the uncommitted changes of this transaction. */
export function within(tx: EntityManager): VerificationService {
  const transaction = (_isolation: string, work: (tx: EntityManager) => unknown) => work(tx);
  return verificationOver({ transaction, query: tx.query.bind(tx) } as unknown as DataSource);
}

/** Returns the breaches of one invariant, without the time that all the others take. */
export async function breachesOf(tx: EntityManager, id: string): Promise<number> {
  const statement = invariants.statements.find((one) => one.id === id);
  if (statement) return Number((await tx.query<[{ breaches: string }]>(statement.sql))[0].breaches);
  const computed = invariants.computed.find((one) => one.id === id);
  if (computed) return (await computed.compute(tx, true, invariants.evidence)).faults.length;
  return (await within(tx).verify()).find((finding) => finding.id === id)!.breaches;
}
