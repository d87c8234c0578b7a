import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { statementSuperseded } from './statement.error';
import type { PayoutState } from '../book/payout-state';
import type { StatementResult } from './statement.dto';

/** A line that names a payout which may have been sent through the channel. */
export interface KnownLine {
  readonly payoutId: string;
  readonly at: string;
}

export interface NamedPayout {
  readonly id: string;
  readonly userId: string;
  readonly walletAccountId: string;
  readonly amountMinor: bigint;
  readonly state: PayoutState;
  readonly attempt: number;
}

export interface FileFinding {
  readonly payoutId: string | null;
  readonly kind: 'foreign-id' | 'never-sent' | 'file-differs' | 'paid-twice';
  readonly detail: object;
  /** Names the line, which is found once although its file may be handed in again. */
  readonly line: string;
}

@Injectable()
export class StatementRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Supersedes files of the day that are still being read. Returns undefined for a day that is not over (UTC). */
  begin(channelId: string, day: string, handedInBy: string): Promise<string | undefined> {
    return this.dataSource.transaction(async (tx) => {
      await this.lockDay(tx, channelId, day);
      const [row] = await tx.query<{ id: string }[]>(
        `insert into payout_statement (channel_id, day, handed_in_by)
         select $1, $2, $3 where $2::date < (now() at time zone 'UTC')::date returning id`,
        [channelId, day, handedInBy],
      );
      return row?.id;
    });
  }

  /**
   * Keeps others from starting on the file of this day. Two readers would take each other's lines for their
   * own, and miss a payment that the file has twice.
   * @throws statementSuperseded
   */
  async lockNewest(
    tx: EntityManager,
    { id, channelId, day }: { id: string; channelId: string; day: string },
  ): Promise<void> {
    await this.lockDay(tx, channelId, day);
    const newer = await tx.query<unknown[]>(
      `select from payout_statement where channel_id = $1 and day = $2 and id > $3 limit 1`,
      [channelId, day, id],
    );
    if (newer.length > 0) throw statementSuperseded(`The file of ${day} was handed in again.`);
  }

  private async lockDay(tx: EntityManager, channelId: string, day: string): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('statement:' || $1 || ':' || $2, 0))`, [
      channelId,
      day,
    ]);
  }

  /** A payout under review was never sent. */
  async named(
    tx: EntityManager,
    channelId: string,
    ids: readonly string[],
  ): Promise<Map<string, NamedPayout>> {
    const rows = await tx.query<(Omit<NamedPayout, 'amountMinor'> & { amountMinor: string })[]>(
      `select id, user_id as "userId", wallet_account_id as "walletAccountId", amount_minor as "amountMinor", state, attempt
         from payout where id = any($2::bigint[]) and channel_id = $1 and state <> 'review'`,
      [channelId, ids],
    );
    return new Map(rows.map((row) => [row.id, { ...row, amountMinor: BigInt(row.amountMinor) }]));
  }

  /**
   * Notes that the file has these payments, each of another payout.
   * @returns those that this file, or another one with another moment, had before
   */
  async state(tx: EntityManager, statementId: string, lines: readonly KnownLine[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }[]>(
      `with noted as (
         insert into payout_stated as before (payout_id, statement_id, at)
         select * from unnest($2::bigint[], array_fill($1::bigint, array[cardinality($2::bigint[])]), $3::timestamptz[])
          order by 1
         on conflict on constraint payout_stated_pkey
         do update set statement_id = excluded.statement_id
          where before.statement_id <> excluded.statement_id and before.at = excluded.at
         returning payout_id
       )
       select id from unnest($2::bigint[]) as id where id not in (select payout_id from noted)`,
      [statementId, lines.map(({ payoutId }) => payoutId), lines.map(({ at }) => at)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns how many are new. In a fixed order, files that come at once wait for each other, not in a circle. */
  async find(
    tx: EntityManager,
    { id, channelId }: { readonly id: string; readonly channelId: string },
    findings: readonly FileFinding[],
  ): Promise<number> {
    if (findings.length === 0) return 0;
    const rows = await tx.query<unknown[]>(
      `insert into payout_finding (channel_id, statement_id, payout_id, kind, detail, line)
       select $1, $6, * from unnest($2::bigint[], $3::text[], $4::jsonb[], $5::text[])
              as finding (payout_id, kind, detail, line)
        order by kind, payout_id, line
       on conflict do nothing returning id`,
      [
        channelId,
        findings.map(({ payoutId }) => payoutId),
        findings.map(({ kind }) => kind),
        findings.map(({ detail }) => JSON.stringify(detail)),
        findings.map(({ line }) => line),
        id,
      ],
    );
    return rows.length;
  }

  /** Names the file, a line of which contradicts a state, in the findings of this transaction. */
  async own(tx: EntityManager, statementId: string, payoutId: string): Promise<void> {
    await tx.query(
      `update payout_finding set statement_id = $1
        where payout_id = $2 and found_at = now() and ended_at is null and statement_id is null`,
      [statementId, payoutId],
    );
  }

  /**
   * Ends what an earlier file had left open: that a payout is missing, and that the same step of it
   * differs. Returns how many.
   */
  async end(
    tx: EntityManager,
    {
      channelId,
      day,
      handedInBy,
    }: { readonly channelId: string; readonly day: string; readonly handedInBy: string },
    lines: readonly { readonly payoutId: string; readonly state: string }[],
  ): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(
      `update payout_finding set ended_at = now(), ended_by = $4, resolution = $5
         from (select id from payout_finding as finding
                where channel_id = $1 and payout_id = any($2::bigint[]) and ended_at is null
                  and exists (select from unnest($2::bigint[], $3::text[]) as line (payout_id, state)
                               where line.payout_id = finding.payout_id
                                 and (kind = 'paid-but-missing' or kind = 'file-differs' and detail->>'state' = line.state))
                order by id for no key update) as open
        where payout_finding.id = open.id`,
      [
        ...[channelId, lines.map(({ payoutId }) => payoutId), lines.map(({ state }) => state)],
        ...[handedInBy, `The file of ${day} has it.`],
      ],
    );
    return count;
  }

  /** Undefined when this is the first file of the channel. */
  async dayBefore(channelId: string, day: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ day: string | null }[]>(
      `select max(day)::text as day from payout_statement
        where channel_id = $1 and day < $2 and digest is not null`,
      [channelId, day],
    );
    return row?.day ?? undefined;
  }

  /** Finds payouts that were paid between two moments, and that no file has. Returns how many are new. */
  async findMissing(
    { id, channelId }: { readonly id: string; readonly channelId: string },
    from: Date,
    to: Date,
    limit: number,
  ): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>(
      `insert into payout_finding (channel_id, statement_id, payout_id, kind, detail, line)
       select channel_id, $5, id, 'paid-but-missing', jsonb_build_object('endedAt', ended_at), id from payout
        where channel_id = $1 and state = 'paid' and ended_at >= $2 and ended_at < $3
          and not exists (select from payout_stated where payout_id = payout.id)
          and not exists (select from payout_finding as known
                           where known.channel_id = $1 and kind = 'paid-but-missing' and line = payout.id::text)
        limit $4
       on conflict do nothing returning id`,
      [channelId, from, to, limit, id],
    );
    return rows.length;
  }

  /** Returns the result of the same file if it was handed in before. */
  async complete(
    tx: EntityManager,
    id: string,
    digest: Buffer,
    result: StatementResult,
  ): Promise<StatementResult> {
    const [row] = await tx.query<{ statementId: string; result: StatementResult }[]>(
      `with known as (
         select before.id, before.result from payout_statement as before
           join payout_statement as own on own.id = $1 and own.channel_id = before.channel_id and own.day = before.day
          where before.digest = $2 limit 1
       ), completed as (
         update payout_statement set digest = $2, result = $3, ended_at = now()
          where id = $1 and not exists (select from known)
       )
       select id as "statementId", result from known`,
      [id, digest, JSON.stringify(result)],
    );
    return row ? { ...row.result, statementId: row.statementId } : result;
  }
}
