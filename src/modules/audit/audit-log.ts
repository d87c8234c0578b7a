import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export interface Deed {
  /** Who did it: the caller's user id. */
  readonly actorId: string;
  /** What was done, `<noun>.<verb>`. */
  readonly action: string;
  /** To what, `<noun>:<id>`. */
  readonly subject: string;
  readonly detail?: Record<string, unknown>;
}

/** Who did what. A deed is written in the transaction that does it, so that there is never one without the other. */
@Injectable()
export class AuditLog {
  async record(tx: EntityManager, { actorId, action, subject, detail = {} }: Deed): Promise<void> {
    await tx.query(`insert into audit_log (actor_id, action, subject, detail) values ($1, $2, $3, $4)`, [
      actorId,
      action,
      subject,
      JSON.stringify(detail),
    ]);
  }
}
