import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppConfig } from '../../../platform/config';
import { type Activity, BIRTH, FORMAT, formatOf, type FormatRow } from '../../activity';

/** True if Redis has held an ended activity for long enough, by the clock of Postgres. */
const IS_OVER = `closed_at <= now() - $2 * interval '1 second'`;

const BEST_LUCK_COUNT = 10;

/** The largest packets that were won, where the sponsor shows them. Their claims are final. */
const BEST_LUCK = `
  case when shows_best_luck then array(
    select packet_no from claim where activity_id = $1 order by amount_minor desc, packet_no limit ${BEST_LUCK_COUNT}
  ) end`;

export interface EndedActivity extends Pick<
  Activity,
  'id' | 'birth' | 'parts' | 'opensAt' | 'closesAt' | 'format'
> {
  readonly isTidied: boolean;
  readonly isOver: boolean;
}

export interface EndedInRedis extends Pick<EndedActivity, 'id' | 'parts' | 'isTidied' | 'isOver'> {
  /** A Date would lose its microseconds, and with them its place in the order. */
  readonly closedAt: string;
}

@Injectable()
export class TidyingRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** Undefined while it is active. */
  async findEnded(tx: EntityManager, id: string): Promise<EndedActivity | undefined> {
    const [row] = await tx.query<(EndedActivity & FormatRow)[]>(
      `select id, parts, opens_at as "opensAt", closes_at as "closesAt", ${BIRTH} as birth, ${FORMAT}, tidied_at is not null as "isTidied",
              forgotten_at is not null or ${IS_OVER} as "isOver"
         from activity where id = $1 and status <> 'active'`,
      [id, this.config.ENDED_KEPT_SECONDS],
    );
    return row && { ...row, format: formatOf(row) };
  }

  /** Ended activities of which Redis may hold anything, after the given one, by their ends. */
  endedInRedis(after: EndedInRedis | undefined, limit: number): Promise<EndedInRedis[]> {
    const { closedAt = '-infinity', id = '0' } = after ?? {};
    return this.dataSource.query(
      `select id, parts, closed_at::text as "closedAt", tidied_at is not null as "isTidied", ${IS_OVER} as "isOver"
         from activity
        where status <> 'active' and forgotten_at is null and (closed_at, id) > ($1, $3)
        order by closed_at, id limit $4`,
      [closedAt, this.config.ENDED_KEPT_SECONDS, id, limit],
    );
  }

  /** Returns the activities that Redis should not hold any more. */
  async forgottenAmong(ids: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from activity where id = any($1::bigint[]) and forgotten_at is not null`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  async setTidied(tx: EntityManager, id: string): Promise<void> {
    await tx.query(
      `update activity set tidied_at = clock_timestamp(), best_luck = ${BEST_LUCK}
        where id = $1 and tidied_at is null`,
      [id],
    );
  }

  async setForgotten(tx: EntityManager, id: string): Promise<void> {
    await tx.query(
      `update activity
            set forgotten_at = clock_timestamp(), tidied_at = coalesce(tidied_at, clock_timestamp()),
                best_luck = coalesce(best_luck, ${BEST_LUCK})
        where id = $1 and forgotten_at is null`,
      [id],
    );
  }
}
