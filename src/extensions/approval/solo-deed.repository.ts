import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SoloSum } from '../../core/second-person';

/** The amounts that each person moved without a second one. */
@Injectable()
export class SoloDeedRepository {
  /** Two sums of one person at once would both find room. */
  async lock(tx: EntityManager, people: readonly string[]): Promise<void> {
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended('solo:' || person, 0))
         from (select distinct unnest($1::text[]) as person order by 1) as people`,
      [people],
    );
  }

  /** Leaves out people who moved nothing. */
  async sumsOfDay(tx: EntityManager, people: readonly string[]): Promise<Map<string, bigint>> {
    const rows = await tx.query<{ doneBy: string; sum: string }[]>(
      `select done_by as "doneBy", sum(amount_minor) as sum
         from solo_deed
        where done_by = any($1::text[]) and done_at > now() - interval '24 hours'
        group by 1`,
      [people],
    );
    return new Map(rows.map(({ doneBy, sum }) => [doneBy, BigInt(sum)]));
  }

  async insert(tx: EntityManager, sums: readonly SoloSum[]): Promise<void> {
    await tx.query(
      `insert into solo_deed (done_by, amount_minor) select * from unnest($1::text[], $2::bigint[])`,
      [sums.map(({ doneBy }) => doneBy), sums.map(({ amountMinor }) => amountMinor)],
    );
  }
}
