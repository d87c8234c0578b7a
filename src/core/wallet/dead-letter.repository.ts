import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { given } from '../../platform/postgres';
import { type DeadLetterReason, DeadLetterRow, type DeadLetterStatus } from './dead-letter.entity';

export interface DeadLetterFilter {
  readonly activityId?: string;
  readonly userId?: string;
  readonly reason?: DeadLetterReason;
}

/**
 * Settlement writes dead letters, in the statement that gives up. An open letter is replayed (its
 * claim becomes unsettled again), resolved with a written reason, or declared void. A resolved one
 * can still be replayed or declared void, because a wrong decision must not strand money. Void is
 * final, because the money has gone.
 */
@Injectable()
export class DeadLetterRepository {
  constructor(@InjectRepository(DeadLetterRow) private readonly rows: Repository<DeadLetterRow>) {}

  findLetter(id: string): Promise<DeadLetterRow | null> {
    return this.rows.findOneBy({ id });
  }

  /** Locks a letter until this transaction ends. */
  lock(tx: EntityManager, id: string): Promise<DeadLetterRow | null> {
    return tx.findOne(DeadLetterRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns letters, newest first. */
  list(
    status: DeadLetterStatus,
    beforeId: string | undefined,
    limit: number,
    filter: DeadLetterFilter = {},
  ): Promise<DeadLetterRow[]> {
    const where = given({ ...filter, status, id: beforeId && LessThan(beforeId) });
    return this.rows.find({ where, order: { id: 'desc' }, take: limit });
  }

  /**
   * Hands the claim of an open or resolved letter back to settlement, and returns its id; undefined
   * when the letter cannot be replayed.
   */
  async replay(tx: EntityManager, id: string): Promise<string | undefined> {
    const [claimId] = await this.requeue(tx, `id = $1 and status in ('open', 'resolved')`, [id], 1);
    return claimId;
  }

  /** Hands claims of matching open letters back to settlement, oldest first. Returns their ids. */
  replayMany(
    tx: EntityManager,
    { activityId, userId, reason }: DeadLetterFilter,
    limit: number,
  ): Promise<string[]> {
    return this.requeue(
      tx,
      `status = 'open'
       and ($1::bigint is null or activity_id = $1)
       and ($2::text is null or user_id = $2)
       and reason = coalesce($3::text, nullif(reason, 'held'))`,
      [activityId ?? null, userId ?? null, reason ?? null],
      limit,
    );
  }

  /**
   * Takes a claim from settlement until staff release it or declare it void. Returns its dead letter, or
   * undefined if the claim is no longer unsettled: a worker may just have paid it.
   */
  async hold(tx: EntityManager, claimId: string, reason: string): Promise<DeadLetterRow | undefined> {
    const [row] = await tx.query<{ id: string }[]>(
      `with taken as (
         delete from unsettled_claim where claim_id = $1
         returning claim_id, activity_id, user_id, amount_minor, attempts
       ), held as (
         insert into dead_letter (claim_id, activity_id, user_id, amount_minor, reason, last_error, attempts)
         select claim_id, activity_id, user_id, amount_minor, 'held', $2, attempts from taken
         on conflict on constraint dead_letter_claim_once
         do update set status = 'open', reason = excluded.reason, last_error = excluded.last_error, resolution = null,
                       updated_at = now()
         where dead_letter.status = 'replayed'
         returning id
       )
       select id from held`,
      [claimId, reason],
    );
    return row && (await tx.findOneByOrFail(DeadLetterRow, { id: row.id }));
  }

  /** Locks the letter of a held claim; null for any other claim. */
  lockHeld(tx: EntityManager, claimId: string): Promise<DeadLetterRow | null> {
    const where = { claimId, reason: 'held', status: 'open' } as const;
    return tx.findOne(DeadLetterRow, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** True when the letter was open. */
  async resolve(tx: EntityManager, id: string, resolution: string): Promise<boolean> {
    const change = { status: 'resolved', resolution } as const;
    const { affected } = await tx.update(DeadLetterRow, { id, status: 'open' }, change);
    return affected === 1;
  }

  /** The caller has locked the letter and moves its money in the same transaction. */
  async declareVoid(tx: EntityManager, id: string, resolution: string): Promise<void> {
    await tx.update(DeadLetterRow, { id }, { status: 'void', resolution });
  }

  private async requeue(
    tx: EntityManager,
    which: string,
    values: unknown[],
    limit: number,
  ): Promise<string[]> {
    const rows: { claim_id: string }[] = await tx.query(
      `with chosen as (
         select id from dead_letter where ${which} order by id limit ${limit} for update
       ), replayed as (
         update dead_letter set status = 'replayed', resolution = null, updated_at = now()
          where id in (select id from chosen)
         returning claim_id, activity_id, user_id, amount_minor
       ), unsettled as (
         insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
         select claim_id, activity_id, user_id, amount_minor from replayed
       )
       select claim_id from replayed order by claim_id`,
      values,
    );
    return rows.map((row) => row.claim_id);
  }
}
