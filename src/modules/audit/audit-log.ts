import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../platform/http';

type Facts = Record<string, unknown>;

export interface Deed {
  /** What was done, `<noun>.<verb>`. */
  readonly action: string;
  /** To which noun; the subject is written as `<noun>:<id>`. */
  readonly id: string;
  /** What it changed, as it stood before and as it stands now. */
  readonly before?: Facts;
  readonly after?: Facts;
  /** What else explains it. */
  readonly detail?: Facts;
}

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actorId: string;
  /** The server that asked for the actor. */
  readonly via: string | null;
  readonly action: string;
  readonly subject: string;
  readonly before: Facts;
  readonly after: Facts;
  readonly detail: Facts;
}

export interface AuditFilter {
  readonly actorId?: string;
  readonly subject?: string;
}

/**
 * Who did what. A deed is written in the transaction that does it, so that there is never one without the other, and
 * nothing can change it afterwards.
 */
@Injectable()
export class AuditLog {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async record(tx: EntityManager, { userId, via }: Caller, deed: Deed): Promise<void> {
    const { action, id, before = {}, after = {}, detail = {} } = deed;
    const [noun] = action.split('.');
    await tx.query(
      `insert into audit_log (actor_id, via, action, subject, before, after, detail)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        userId,
        via,
        action,
        `${noun}:${id}`,
        ...[before, after, detail].map((facts) => JSON.stringify(facts)),
      ],
    );
  }

  /** Newest first, older than the entry `beforeId` where given. */
  list({ actorId, subject }: AuditFilter, beforeId: string | undefined, limit: number): Promise<AuditRow[]> {
    return this.dataSource.query<AuditRow[]>(
      `select id, at, actor_id as "actorId", via, action, subject, before, after, detail
         from audit_log
        where ($1::bigint is null or id < $1)
          and ($2::text is null or actor_id = $2)
          and ($3::text is null or subject = $3)
        order by id desc
        limit $4`,
      [beforeId ?? null, actorId ?? null, subject ?? null, limit],
    );
  }
}
