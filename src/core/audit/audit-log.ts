import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOperator, LessThan, Raw, Repository } from 'typeorm';
import type { Caller } from '../../platform/http';
import { given, isWithin } from '../../platform/postgres';
import { AuditRow, type Facts } from './audit.entity';

const DAY_SECONDS = 86_400;

export interface Deed {
  /** The deed, `<noun>.<verb>`. */
  readonly action: string;
  /** The id of the noun. The subject is `<noun>:<id>`. */
  readonly id: string;
  /** The states before and after the deed; both hold only what changed. */
  readonly before?: Facts;
  readonly after?: Facts;
  readonly detail?: Facts;
}

/** The person who has done it, and the server that acted for them. */
export type Actor = Pick<Caller, 'userId' | 'via'>;

export interface AuditFilter {
  readonly actorId?: string;
  readonly subject?: string;
  readonly action?: string;
  /** A day of UTC, such as `2031-02-03`. */
  readonly day?: string;
}

/**
 * A deed is recorded in the transaction that does it, so neither exists without the other. Entries
 * cannot be changed afterwards.
 */
@Injectable()
export class AuditLog {
  constructor(@InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>) {}

  record(tx: EntityManager, actor: Actor, deed: Deed): Promise<void> {
    return this.recordAll(tx, [{ actor, deed }]);
  }

  async recordAll(
    tx: EntityManager,
    entries: readonly { readonly actor: Actor; readonly deed: Deed }[],
  ): Promise<void> {
    if (entries.length > 0)
      await tx.insert(
        AuditRow,
        entries.map(({ actor, deed }) => rowOf(actor, deed)),
      );
  }

  /** Counts the deeds of this kind within 24 hours among the latest `lookedAtMax` deeds of the actor. */
  async countOfDay(tx: EntityManager, actorId: string, action: string, lookedAtMax: number): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::int as count
         from (select action, at from audit_log where actor_id = $1 order by id desc limit $3) as latest
        where action = $2 and ${isWithin('at', DAY_SECONDS)}`,
      [actorId, action, lookedAtMax],
    );
    return row!.count;
  }

  /** Returns entries, newest first. */
  list({ day, ...filter }: AuditFilter, beforeId: string | undefined, limit: number): Promise<AuditRow[]> {
    const where = given({ ...filter, id: beforeId && LessThan(beforeId), at: day ? isOn(day) : undefined });
    return this.rows.find({ where, order: { id: 'desc' }, take: limit });
  }
}

/** Compares the bare column, so that its index is used. */
const isOn = (day: string): FindOperator<Date> =>
  Raw((at) => `${at} >= :from and ${at} < :from::timestamptz + interval '1 day'`, {
    from: `${day}T00:00Z`,
  }) as FindOperator<Date>;

function rowOf({ userId, via }: Actor, { action, id, before = {}, after = {}, detail = {} }: Deed) {
  const [noun] = action.split('.');
  return { actorId: userId, via, action, subject: `${noun}:${id}`, before, after, detail };
}
