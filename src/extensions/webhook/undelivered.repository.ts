import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { isWithin, presentByBoth } from '../../platform/postgres';
import type { Try, WebhookMessage } from './webhook';

export interface WaitingMessage extends WebhookMessage {
  readonly rowId: string;
  /** The attempts of all rounds so far. */
  readonly attempts: number;
  readonly tries: readonly Try[];
}

/** Why a message was given up. */
export interface Burial {
  readonly attempts: number;
  readonly lastError: string;
  /** The latest of all rounds. */
  readonly tries?: readonly Try[];
}

export interface UndeliveredRow extends WaitingMessage {
  readonly status: UndeliveredStatus;
}

export interface DeadRow {
  readonly id: string;
  readonly messageId: string;
  readonly event: string;
  readonly attempts: number;
  readonly lastError: string;
  readonly updatedAt: Date;
}

export const UNDELIVERED_STATUSES = ['waiting', 'dead'] as const;

export type UndeliveredStatus = (typeof UNDELIVERED_STATUSES)[number];

/** Messages wait for their turn in the queue, or are dead letters. */
@Injectable()
export class UndeliveredRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** A message that is already here stays as it is. */
  async park(webhookId: string, messages: readonly WebhookMessage[]): Promise<void> {
    await this.dataSource.query(
      `insert into undelivered_message (webhook_id, message_id, event, body, status)
       select $1, message.*, 'waiting' from unnest($2::text[], $3::text[], $4::text[]) as message
       on conflict do nothing`,
      [
        webhookId,
        messages.map(({ id }) => id),
        messages.map(({ event }) => event),
        messages.map(({ body }) => body),
      ],
    );
  }

  /**
   * Takes due messages, oldest first. No other worker receives them within `lostAfterSeconds`;
   * after that, the worker that took them, or the queue, must have lost them.
   */
  takeWaiting(webhookId: string, limit: number, lostAfterSeconds: number): Promise<WaitingMessage[]> {
    return this.dataSource.query<WaitingMessage[]>(
      `with due as (
         select id from undelivered_message
          where webhook_id = $1 and status = 'waiting'
            and ${isWithin('offered_at', '$3')} is not true
          order by id limit $2
          for update skip locked
       ), offered as (
         update undelivered_message set offered_at = now() where id in (select id from due) returning *
       )
       select id as "rowId", message_id as id, event, body, attempts, tries from offered order by offered.id`,
      [webhookId, limit, lostAfterSeconds],
    );
  }

  /** Adds the attempts to those of earlier rounds. */
  async bury(
    webhookId: string,
    { id, event, body }: WebhookMessage,
    { attempts, lastError, tries = [] }: Burial,
  ): Promise<void> {
    await this.dataSource.query(
      `insert into undelivered_message as old (webhook_id, message_id, event, body, status, attempts, last_error, tries)
       values ($1, $2, $3, $4, 'dead', $5, $6, $7)
       on conflict (webhook_id, message_id) do update
          set status = 'dead', attempts = old.attempts + excluded.attempts, last_error = excluded.last_error,
              tries = excluded.tries, updated_at = now()`,
      [webhookId, id, event, body, attempts, lastError, JSON.stringify(tries)],
    );
  }

  async find(webhookId: string, messageId: string): Promise<UndeliveredRow | undefined> {
    const [row] = await this.dataSource.query<UndeliveredRow[]>(
      `select id as "rowId", message_id as id, event, body, status, attempts, tries
         from undelivered_message where webhook_id = $1 and message_id = $2`,
      [webhookId, messageId],
    );
    return row;
  }

  async delivered(rowId: string): Promise<void> {
    await this.dataSource.query(`delete from undelivered_message where id = $1`, [rowId]);
  }

  /** Returns the newest first, older than `beforeId`. */
  dead(webhookId: string, beforeId: string | undefined, limit: number): Promise<DeadRow[]> {
    return this.dataSource.query<DeadRow[]>(
      `select id, message_id as "messageId", event, attempts, last_error as "lastError", updated_at as "updatedAt"
         from undelivered_message
        where webhook_id = $1 and status = 'dead' and ($2::bigint is null or id < $2)
        order by id desc
        limit $3`,
      [webhookId, beforeId ?? null, limit],
    );
  }

  /** Lets dead letters wait for their turn again, oldest first. Returns their ids. */
  async replay(
    tx: EntityManager,
    webhookId: string,
    ids: readonly string[] | undefined,
    limit: number,
  ): Promise<string[]> {
    const rows: { id: string }[] = await tx.query(
      `with chosen as (
         select id from undelivered_message
          where webhook_id = $1 and status = 'dead' and ($2::bigint[] is null or id = any($2))
          order by id limit $3
          for update
       ), replayed as (
         update undelivered_message set status = 'waiting', offered_at = null, updated_at = now()
          where id in (select id from chosen)
         returning id
       )
       select id from replayed order by id`,
      [webhookId, ids ?? null, limit],
    );
    return rows.map(({ id }) => id);
  }

  async counts(): Promise<Record<UndeliveredStatus, number>> {
    const rows = await this.dataSource.query<{ status: UndeliveredStatus; count: string }[]>(
      `select status, count(*) as count from undelivered_message group by status`,
    );
    const countOf = (status: UndeliveredStatus) =>
      Number(rows.find((row) => row.status === status)?.count ?? 0);
    return { waiting: countOf('waiting'), dead: countOf('dead') };
  }

  /**
   * Looks only at the `limit` lowest ids, which are the oldest.
   * @param redisSeconds the time by the clock of Redis, in seconds since 1970
   */
  async forgetDead(webhookId: string, keptDays: number, limit: number, redisSeconds: number): Promise<void> {
    await this.dataSource.query(
      `delete from undelivered_message
        where id in (
          select id from (select id, updated_at from undelivered_message
                           where webhook_id = $1 and status = 'dead' order by id limit $3) as oldest
           where updated_at < ${presentByBoth('$4')} - make_interval(days => $2)
        )`,
      [webhookId, keptDays, limit, redisSeconds],
    );
  }

  /** Returns the number of deleted messages. */
  async forget(webhookId: string, limit: number): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>(
      `with forgotten as (
         delete from undelivered_message
          where id in (select id from undelivered_message where webhook_id = $1 limit $2)
         returning id
       )
       select id from forgotten`,
      [webhookId, limit],
    );
    return rows.length;
  }
}
