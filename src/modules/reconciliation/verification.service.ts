import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import { type Invariant, INVARIANTS } from './invariants';
import { RedisAgreement } from './redis-agreement';

export interface Finding {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  readonly examined: number;
  readonly breaches: number;
}

/** Checks every invariant over all data, in one snapshot of Postgres. Changes nothing; may run at any time. */
@Injectable()
export class VerificationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly redis: RedisAgreement,
    private readonly currency: Currency,
  ) {}

  async verify(): Promise<Finding[]> {
    return this.dataSource.transaction('REPEATABLE READ', async (snapshot) => {
      await snapshot.query('set transaction read only');
      await snapshot.query('set local statement_timeout = 0');
      await snapshot.query('set local idle_in_transaction_session_timeout = 0');
      const findings: Finding[] = [];
      for (const invariant of INVARIANTS) findings.push(await this.ask(snapshot, invariant));
      const title = 'Redis agrees with Postgres about every packet of every open activity';
      findings.push({ id: 'I9', title, subject: 'packets', ...(await this.redis.check(snapshot)) });
      return findings;
    });
  }

  private async ask(snapshot: EntityManager, { id, title, subject, sql }: Invariant): Promise<Finding> {
    const values = sql.includes('$1') ? [10 ** this.currency.digits] : [];
    const [row] = await snapshot.query<{ examined: string; breaches: string }[]>(sql, values);
    return { id, title, subject, examined: Number(row!.examined), breaches: Number(row!.breaches) };
  }
}
