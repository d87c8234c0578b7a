import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/http';

/** Who did what. A deed is written in the transaction that does it, so that there is never one without the other. */
@Injectable()
export class AuditLog {
  /**
   * @param action what was done, `<noun>.<verb>`
   * @param id to which noun; the subject is written as `<noun>:<id>`
   */
  async record(
    tx: EntityManager,
    { userId }: Caller,
    action: string,
    id: string,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const [noun] = action.split('.');
    await tx.query(`insert into audit_log (actor_id, action, subject, detail) values ($1, $2, $3, $4)`, [
      userId,
      action,
      `${noun}:${id}`,
      JSON.stringify(detail),
    ]);
  }
}
