import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, LessThan, Not, Repository } from 'typeorm';
import { given } from '../../../platform/postgres';
import { FindingRow } from './finding.entity';

export interface NewFinding {
  readonly channelId: string;
  readonly payoutId: string;
  readonly kind: string;
  readonly detail: object;
}

export interface FindingsFile {
  readonly channelId: string;
  readonly day: string;
}

export const CALLS_LOST = 'calls-lost';

/**
 * SQL. While it is true, nothing is paid through a channel: it pays something other than it is asked for, or
 * Postgres does not know what channels were asked for.
 * @param id of the channel, in SQL
 */
export const isHeldByFinding = (id: string): string => `exists (
  select from payout_finding
   where ended_at is null
     and (kind = '${CALLS_LOST}' or channel_id = ${id} and kind in ('answer-differs', 'never-sent')))`;

@Injectable()
export class FindingRepository {
  constructor(@InjectRepository(FindingRow) private readonly rows: Repository<FindingRow>) {}

  /** Writes nothing if the same finding is open. */
  async find(tx: EntityManager, { channelId, payoutId, kind, detail }: NewFinding): Promise<void> {
    await tx.query(
      `insert into payout_finding (channel_id, payout_id, kind, detail) values ($1, $2, $3, $4)
       on conflict (payout_id, kind) where ended_at is null and line is null do nothing`,
      [channelId, payoutId, kind, JSON.stringify(detail)],
    );
  }

  /** A difference that staff have dealt with is not found again. */
  async findOnce(tx: EntityManager, finding: NewFinding): Promise<void> {
    const { payoutId, kind, detail } = finding;
    const [known] = await tx.query<unknown[]>(
      `select 1 from payout_finding where payout_id = $1 and kind = $2 and detail = $3`,
      [payoutId, kind, JSON.stringify(detail)],
    );
    if (!known) await this.find(tx, finding);
  }

  async isHolding(channelId: string): Promise<boolean> {
    const [row] = await this.rows.query<{ isHeld: boolean }[]>(
      `select ${isHeldByFinding('$1')} as "isHeld"`,
      [channelId],
    );
    return row!.isHeld;
  }

  /** Returns the newest first, older than `beforeId`. */
  list(
    { isOpen, channelId }: { readonly isOpen: boolean; readonly channelId?: string },
    beforeId: string | undefined,
    limit: number,
  ): Promise<FindingRow[]> {
    const endedAt = isOpen ? IsNull() : Not(IsNull());
    const where = given({ endedAt, channelId, id: beforeId && LessThan(beforeId) });
    return this.rows.find({ where, order: { id: 'desc' }, take: limit });
  }

  lock(tx: EntityManager, id: string): Promise<FindingRow | null> {
    return tx.findOne(FindingRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns all about a payout, oldest first. */
  about(payoutId: string): Promise<FindingRow[]> {
    return this.rows.find({ where: { payoutId }, order: { id: 'asc' } });
  }

  /** Undefined for a file that was never handed in. */
  async findFile(tx: EntityManager, statementId: string): Promise<FindingsFile | undefined> {
    const [row] = await tx.query<FindingsFile[]>(
      `select channel_id as "channelId", day::text from payout_statement where id = $1`,
      [statementId],
    );
    return row;
  }

  /** Ends the findings of a file, except those about the person who ends them. Returns their number. */
  async endOfFile(
    tx: EntityManager,
    statementId: string,
    endedBy: string,
    resolution: string,
    limit: number,
  ): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(
      `update payout_finding set ended_at = now(), ended_by = $2, resolution = $3
         from (select finding.id from payout_finding as finding left join payout on payout.id = payout_id
                where statement_id = $1 and finding.ended_at is null
                  and coalesce(payout.user_id, detail->>'userId') is distinct from $2
                order by finding.id limit $4 for no key update of finding) as open
        where payout_finding.id = open.id`,
      [statementId, endedBy, resolution, limit],
    );
    return count;
  }

  openOfFile(tx: EntityManager, statementId: string): Promise<number> {
    return tx.count(FindingRow, { where: { statementId, endedAt: IsNull() } });
  }

  async own(tx: EntityManager, id: string, owner: string): Promise<void> {
    await tx.update(FindingRow, { id }, { owner });
  }

  async end(tx: EntityManager, id: string, endedBy: string, resolution: string): Promise<void> {
    await tx.update(FindingRow, { id }, { endedAt: () => 'now()', endedBy, resolution });
  }
}
