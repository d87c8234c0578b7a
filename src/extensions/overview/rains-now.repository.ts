import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PUBLIC } from '../../core/activity';
import { CURRENCY_BIT, PLAY_MONEY } from '../../core/currency';

export interface RainsNow {
  readonly at: Date;
  readonly runningIds: readonly string[];
  readonly runningCount: number;
  readonly nextIds: readonly string[];
}

/** More are not counted: users may have any number of small activities. */
export const COUNTED_MAX = 10_000;

const IS_SHOWN = `($3 or currency <> '${PLAY_MONEY}')`;

@Injectable()
export class RainsNowRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Looks at public activities. Returns the largest of each currency that run, the default first, so that neither
   * small ones of a currency nor rehearsals can displace them, the number of all that run, and those that open next.
   */
  async findRains(runningMax: number, nextMax: number, withPlayMoney: boolean): Promise<RainsNow> {
    const [row] = await this.dataSource.query<RainsNow[]>(
      `with running as materialized (
         select id, currency, escrow_account_id, total_minor from activity
          where status = 'active' and audience = '${PUBLIC}' and opens_at <= now() and closes_at > now() and ${IS_SHOWN}
          limit ${COUNTED_MAX}
       ), placed as (
         select id, currency = '${PLAY_MONEY}' as is_play, escrow_account_id >> ${CURRENCY_BIT} as currency_number,
                row_number() over (partition by currency order by total_minor desc, id desc) as place
           from running
       )
       select now() as at,
              array(select id from placed order by is_play, place, currency_number limit $1)::text[] as "runningIds",
              (select count(*) from running)::int as "runningCount",
              array(select id from activity
                     where status = 'active' and audience = '${PUBLIC}' and opens_at > now() and ${IS_SHOWN}
                     order by opens_at, currency = '${PLAY_MONEY}', total_minor desc, id limit $2)::text[] as "nextIds"`,
      [runningMax, nextMax, withPlayMoney],
    );
    return row!;
  }
}
