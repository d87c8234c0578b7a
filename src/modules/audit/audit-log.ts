import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import type { Caller } from '../../platform/http';
import { given } from '../../platform/postgres';
import { AuditRow, type Facts } from './audit.entity';

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
  constructor(@InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>) {}

  async record(tx: EntityManager, { userId, via }: Caller, deed: Deed): Promise<void> {
    const { action, id, before = {}, after = {}, detail = {} } = deed;
    const [noun] = action.split('.');
    await tx.insert(AuditRow, {
      actorId: userId,
      via,
      action,
      subject: `${noun}:${id}`,
      before,
      after,
      detail,
    });
  }

  /** Newest first, older than the entry `beforeId` where given. */
  list(filter: AuditFilter, beforeId: string | undefined, limit: number): Promise<AuditRow[]> {
    const where = given({ ...filter, id: beforeId && LessThan(beforeId) });
    return this.rows.find({ where, order: { id: 'desc' }, take: limit });
  }
}
