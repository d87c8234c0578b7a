import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { DeedWish } from '../../core/second-person';
import type { Approval, ApprovalStatus } from './approval';

/** Expired approvals stay in the table, and far outnumber those that wait. */
const IS: Readonly<Record<ApprovalStatus, string>> = {
  pending: `status = 'pending' and expires_at > now()`,
  expired: `status = 'pending' and expires_at <= now()`,
  approved: `status = 'approved'`,
  rejected: `status = 'rejected'`,
};

/** Expiry is not written to the row: it follows from the clock. */
const STATUS = `case when ${IS.expired} then 'expired' else status end`;

/** Selects the deeds that nobody has decided. */
export const UNDECIDED = `select id, action, subject_id, source_id, expires_at from approval where status = 'pending'`;

const COLUMNS = `id, ${STATUS} as status, action, subject_id as "subjectId", source_id as "sourceId",
                 amount_minor as "amountMinor", currency, terms, asked_by as "askedBy", asked_at as "askedAt",
                 expires_at as "expiresAt", decided_by as "decidedBy", decided_at as "decidedAt",
                 reason, result_id as "resultId"`;

/** What only one kind of decision has: an approval creates something, and a rejection may have a reason. */
interface Decided {
  readonly resultId?: string;
  readonly reason?: string;
}

@Injectable()
export class ApprovalRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns the approvals in the order of the wishes. */
  async insert(
    tx: EntityManager,
    wishes: readonly (Omit<DeedWish, 'currency'> & Pick<Approval, 'askedBy' | 'currency'>)[],
    validSeconds: number,
  ): Promise<Approval[]> {
    const rows = await tx.query<Approval[]>(
      `with asked as (
         insert into approval (action, subject_id, source_id, amount_minor, terms, asked_by, currency, expires_at)
         select action, subject_id, source_id, amount_minor, terms, asked_by, currency, now() + make_interval(secs => $8)
           from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::jsonb[], $6::text[], $7::text[]) with ordinality
             as wish (action, subject_id, source_id, amount_minor, terms, asked_by, currency, no)
          order by no
         returning *
       )
       select ${COLUMNS} from asked order by id`,
      [
        ...[wishes.map(({ action }) => action), wishes.map(({ subjectId }) => subjectId)],
        ...[wishes.map(({ sourceId }) => sourceId), wishes.map(({ amountMinor }) => amountMinor)],
        ...[wishes.map(({ terms }) => JSON.stringify(terms)), wishes.map(({ askedBy }) => askedBy)],
        wishes.map(({ currency }) => currency),
        validSeconds,
      ],
    );
    return rows.map(withAmount);
  }

  async findApproval(id: string): Promise<Approval | undefined> {
    const [row] = await this.dataSource.query<Approval[]>(`select ${COLUMNS} from approval where id = $1`, [
      id,
    ]);
    return row && withAmount(row);
  }

  async lock(tx: EntityManager, id: string): Promise<Approval | undefined> {
    const [row] = await tx.query<Approval[]>(`select ${COLUMNS} from approval where id = $1 for update`, [
      id,
    ]);
    return row && withAmount(row);
  }

  /** Skips approvals that are being decided. */
  async lapse(tx: EntityManager, action: string, subjectId: string): Promise<void> {
    await tx.query(
      `update approval set expires_at = now()
        where id in (select id from approval
                      where ${IS.pending} and action = $1 and subject_id = $2
                        for update skip locked)`,
      [action, subjectId],
    );
  }

  /** The caller has locked the approval and found it pending. */
  async decide(
    tx: EntityManager,
    id: string,
    status: 'approved' | 'rejected',
    decidedBy: string,
    { resultId, reason }: Decided,
  ): Promise<Approval> {
    const [row] = await tx.query<Approval[]>(
      `with decided as (
         update approval set status = $2, decided_by = $3, decided_at = now(), result_id = $4, reason = $5,
                             approved_in = case when $2 = 'approved' then currency end
          where id = $1 returning *
       )
       select ${COLUMNS} from decided`,
      [id, status, decidedBy, resultId ?? null, reason ?? null],
    );
    return withAmount(row!);
  }

  /** Returns approvals, newest first. */
  list(status: ApprovalStatus, beforeId: string | undefined, limit: number): Promise<Approval[]> {
    return this.readPage(IS[status], [], beforeId, limit);
  }

  /** Returns the approvals that a person has requested, newest first. */
  listAskedBy(
    askedBy: string,
    status: ApprovalStatus | undefined,
    beforeId: string | undefined,
    limit: number,
  ): Promise<Approval[]> {
    const isWanted = `asked_by = $3 ${status ? `and ${IS[status]}` : ''}`;
    return this.readPage(isWanted, [askedBy], beforeId, limit);
  }

  /** @param values of the condition, from `$3` on */
  private async readPage(
    condition: string,
    values: readonly string[],
    beforeId: string | undefined,
    limit: number,
  ): Promise<Approval[]> {
    const rows = await this.dataSource.query<Approval[]>(
      `select ${COLUMNS}
         from approval
        where ${condition} and ($1::bigint is null or id < $1)
        order by id desc
        limit $2`,
      [beforeId ?? null, limit, ...values],
    );
    return rows.map(withAmount);
  }
}

/** Postgres sends a bigint as text. */
const withAmount = (row: Approval): Approval => ({ ...row, amountMinor: BigInt(row.amountMinor) });
