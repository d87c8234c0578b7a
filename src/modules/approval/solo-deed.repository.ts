import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** The amounts that each person moved without a second one. */
@Injectable()
export class SoloDeedRepository {
  /** Two sums of one person at once would both find room. */
  async lock(tx: EntityManager, doneBy: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('solo:' || $1, 0))`, [doneBy]);
  }

  async sumOfDay(tx: EntityManager, doneBy: string): Promise<bigint> {
    const [{ sum }]: [{ sum: string }] = await tx.query(
      `select coalesce(sum(amount_minor), 0) as sum
         from solo_deed
        where done_by = $1 and done_at > now() - interval '24 hours'`,
      [doneBy],
    );
    return BigInt(sum);
  }

  async insert(tx: EntityManager, doneBy: string, amountMinor: bigint): Promise<void> {
    await tx.query(`insert into solo_deed (done_by, amount_minor) values ($1, $2)`, [doneBy, amountMinor]);
  }
}
