import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { presentByBoth } from '../../platform/postgres';

interface NewCommitment {
  readonly commitment: string;
  readonly userId: string;
  readonly seed: string;
  readonly validSeconds: number;
}

export interface Taking {
  readonly commitment: string;
  readonly userId: string;
  readonly sourceId: string;
}

const SWEPT_AT_ONCE = 1_000;

const NOW = presentByBoth('$2');

@Injectable()
export class CommitmentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Counts those that a user can still use. No other transaction can add one before this one ends. */
  async lockUsable(tx: EntityManager, userId: string): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('commitments of ' || $1, 0))`, [userId]);
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count from seed_commitment
        where user_id = $1 and taken_for is null and expires_at > now()`,
      [userId],
    );
    return row!.count;
  }

  async insert(
    tx: EntityManager,
    { commitment, userId, seed, validSeconds }: NewCommitment,
  ): Promise<{ expiresAt: Date }> {
    const [row] = await tx.query<{ expiresAt: Date }[]>(
      `insert into seed_commitment (commitment, user_id, seed, expires_at)
       values (decode($1, 'hex'), $2, $3, now() + make_interval(secs => $4)) returning expires_at as "expiresAt"`,
      [commitment, userId, seed, validSeconds],
    );
    return row!;
  }

  /** Returns the seed; undefined if it cannot be taken for this request. Two requests wait for each other. */
  async take(tx: EntityManager, { commitment, userId, sourceId }: Taking): Promise<string | undefined> {
    const [rows] = await tx.query<[{ seed: string }[], number]>(
      `update seed_commitment set taken_for = $3
        where commitment = decode($1, 'hex')
          and (taken_for = $3 or (taken_for is null and user_id = $2 and expires_at > now()))
       returning seed`,
      [commitment, userId, sourceId],
    );
    return rows[0]?.seed;
  }

  /** Undefined if the user was given no such commitment. */
  async find(
    tx: EntityManager,
    { commitment, userId }: Taking,
  ): Promise<{ readonly isTaken: boolean } | undefined> {
    const [row] = await tx.query<{ isTaken: boolean }[]>(
      `select taken_for is not null as "isTaken" from seed_commitment
        where commitment = decode($1, 'hex') and user_id = $2`,
      [commitment, userId],
    );
    return row;
  }

  /**
   * Deletes expired ones, apart from those of creations that still wait for a second person, and returns how
   * many. The seeds of those that were used are in their activities. What is deleted does not come back, so they
   * have expired by the clocks of Postgres and of Redis.
   */
  async sweepSome(undecidedDeeds: string, redisSeconds: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `delete from seed_commitment
        where commitment in (select commitment from seed_commitment
                              where expires_at <= ${NOW}
                                and not exists (select from (${undecidedDeeds}) as deed
                                                 where deed.source_id = taken_for and deed.expires_at > ${NOW})
                              order by expires_at limit $1)`,
      [SWEPT_AT_ONCE, redisSeconds],
    );
    return count;
  }
}
