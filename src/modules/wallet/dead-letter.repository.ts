import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

export type DeadLetterStatus = 'open' | 'replayed' | 'resolved' | 'void';

export const DEAD_LETTER_REASONS = ['wallet_frozen', 'settlement_failed'] as const;

export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

export interface DeadLetterRow {
  readonly id: string;
  readonly claimId: string;
  readonly activityId: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  readonly reason: DeadLetterReason;
  readonly lastError: string | null;
  readonly attempts: number;
  readonly status: DeadLetterStatus;
  readonly resolution: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DeadLetterFilter {
  readonly activityId?: string;
  readonly userId?: string;
  readonly reason?: DeadLetterReason;
}

const COLUMNS = `id, claim_id as "claimId", activity_id as "activityId", user_id as "userId", amount_minor as "amountMinor",
  reason, last_error as "lastError", attempts, status, resolution, created_at as "createdAt", updated_at as "updatedAt"`;

/**
 * Dead letters are written by settlement, in the statement that gives up; here operators read them and end them.
 * An open letter is replayed (its claim goes back to the unsettled ones), resolved with a written reason, or declared void.
 * A resolved one may still be replayed or declared void: a wrong decision must not strand money. Void is final, because
 * the money has gone.
 */
@Injectable()
export class DeadLetterRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findLetter(id: string): Promise<DeadLetterRow | undefined> {
    const [row] = await this.dataSource.query<DeadLetterRow[]>(
      `select ${COLUMNS} from dead_letter where id = $1`,
      [id],
    );
    return row && withAmount(row);
  }

  /** As it stands, and nobody changes it before this transaction ends. */
  async lock(tx: EntityManager, id: string): Promise<DeadLetterRow | undefined> {
    const [row] = await tx.query<DeadLetterRow[]>(
      `select ${COLUMNS} from dead_letter where id = $1 for update`,
      [id],
    );
    return row && withAmount(row);
  }

  /** Newest first, older than `beforeId` where given. */
  async list(
    status: DeadLetterStatus,
    beforeId: string | undefined,
    limit: number,
    { activityId, userId, reason }: DeadLetterFilter = {},
  ): Promise<DeadLetterRow[]> {
    const rows = await this.dataSource.query<DeadLetterRow[]>(
      `select ${COLUMNS}
         from dead_letter
        where status = $1
          and ($2::bigint is null or id < $2)
          and ($3::bigint is null or activity_id = $3)
          and ($4::text is null or user_id = $4)
          and ($5::text is null or reason = $5)
        order by id desc
        limit $6`,
      [status, beforeId, activityId, userId, reason, limit].map((value) => value ?? null),
    );
    return rows.map(withAmount);
  }

  /** Hands the claim of one letter back to settlement and returns its id; undefined when the letter is not to be replayed. */
  async replay(tx: EntityManager, id: string): Promise<string | undefined> {
    const [claimId] = await this.requeue(tx, `id = $1 and status in ('open', 'resolved')`, [id], 1);
    return claimId;
  }

  /** Hands the claims of open letters that match back to settlement, oldest first, and returns their ids. */
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
       and ($3::text is null or reason = $3)`,
      [activityId ?? null, userId ?? null, reason ?? null],
      limit,
    );
  }

  /** Returns whether the letter was open. */
  async resolve(tx: EntityManager, id: string, resolution: string): Promise<boolean> {
    const rows: unknown[] = await tx.query(
      `with resolved as (
         update dead_letter set status = 'resolved', resolution = $2, updated_at = now()
          where id = $1 and status = 'open'
         returning id
       )
       select id from resolved`,
      [id, resolution],
    );
    return rows.length > 0;
  }

  /** For a letter that the caller has locked and whose money it moves. */
  async declareVoid(tx: EntityManager, id: string, resolution: string): Promise<void> {
    await tx.query(
      `update dead_letter set status = 'void', resolution = $2, updated_at = now() where id = $1`,
      [id, resolution],
    );
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

function withAmount(row: DeadLetterRow): DeadLetterRow {
  return { ...row, amountMinor: BigInt(row.amountMinor) };
}
