import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isWithin } from '../../platform/postgres';

const DAY_SECONDS = 86_400;

export interface NewSoloDeed {
  readonly doneBy: string;
  readonly amountMinor: bigint;
  /** Null for the default. */
  readonly currency: string | null;
}

export interface DaySum extends Pick<NewSoloDeed, 'doneBy' | 'currency'> {
  readonly minor: bigint;
}

/** The amounts that each person moved alone. */
@Injectable()
export class SoloDeedRepository {
  /** Without this lock, two simultaneous sums of one person could both pass the limit. */
  async lock(tx: EntityManager, people: readonly string[]): Promise<void> {
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended('solo:' || person, 0))
         from (select distinct unnest($1::text[]) as person order by 1) as people`,
      [people],
    );
  }

  /** The same without waiting. Returns those who are locked now. */
  async tryLock(tx: EntityManager, people: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ person: string }[]>(
      `select person
         from (select person, pg_try_advisory_xact_lock(hashtextextended('solo:' || person, 0)) as locked
                 from unnest($1::text[]) as person offset 0) as tried
        where locked`,
      [people],
    );
    return rows.map(({ person }) => person);
  }

  /** Leaves out people who moved nothing. */
  async sumsOfDay(tx: EntityManager, people: readonly string[]): Promise<DaySum[]> {
    const rows = await tx.query<(Omit<DaySum, 'minor'> & { minor: string })[]>(
      `select done_by as "doneBy", currency, sum(amount_minor) as minor
         from solo_deed
        where done_by = any($1::text[]) and ${isWithin('done_at', DAY_SECONDS)}
        group by 1, 2`,
      [people],
    );
    return rows.map(({ minor, ...sum }) => ({ ...sum, minor: BigInt(minor) }));
  }

  async insert(tx: EntityManager, sums: readonly NewSoloDeed[]): Promise<void> {
    await tx.query(
      `insert into solo_deed (done_by, amount_minor, currency)
       select * from unnest($1::text[], $2::bigint[], $3::text[])`,
      [
        sums.map(({ doneBy }) => doneBy),
        sums.map(({ amountMinor }) => amountMinor),
        sums.map(({ currency }) => currency),
      ],
    );
  }
}
