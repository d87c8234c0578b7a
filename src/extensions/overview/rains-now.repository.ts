import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

export interface RainsNow {
  readonly at: Date;
  readonly runningIds: readonly string[];
  readonly runningCount: number;
  readonly nextIds: readonly string[];
}

/** More are not counted: users may have any number of small activities. */
export const COUNTED_MAX = 10_000;

@Injectable()
export class RainsNowRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Returns the largest activities that run, so that small ones cannot displace them, the number of
   * all that run, and those that open next.
   */
  async findRains(runningMax: number, nextMax: number): Promise<RainsNow> {
    const [row] = await this.dataSource.query<RainsNow[]>(
      `with running as materialized (
         select id, total_minor from activity
          where status = 'active' and opens_at <= now() and closes_at > now() limit ${COUNTED_MAX}
       )
       select now() as at,
              array(select id from running order by total_minor desc, id desc limit $1)::text[] as "runningIds",
              (select count(*) from running)::int as "runningCount",
              array(select id from activity where status = 'active' and opens_at > now()
                     order by opens_at, total_minor desc, id limit $2)::text[] as "nextIds"`,
      [runningMax, nextMax],
    );
    return row!;
  }
}
