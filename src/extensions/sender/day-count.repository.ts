import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { daySum, type Queries } from '../../platform/postgres';

/** The key of a user's count of activities; the sums put into activities have the code of their currency. */
export const ACTIVITIES = 'activities';

/** The UTC day that it is now: a sender may have waited across midnight. */
const CLOCK = `(select (clock_timestamp() at time zone 'UTC')::date as today) as clock`;

const TODAY = daySum('today', 'sum');

export interface Day {
  /** When the next one begins. */
  readonly endsAt: Date;
  readonly secondsLeft: number;
}

/** Counts what users send in a UTC day. The row of a count is also the lock under which two of them take turns. */
@Injectable()
export class DayCountRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(userId: string, unit: string, db: Queries = this.dataSource): Promise<bigint> {
    const [row] = await db.query<{ counted: string }[]>(
      `select ${TODAY.counted} as counted from sender_day_count, ${CLOCK} where user_id = $1 and unit = $2`,
      [userId, unit],
    );
    return BigInt(row?.counted ?? 0);
  }

  /** Returns the count of today with what is added. */
  async add(tx: EntityManager, userId: string, unit: string, more: bigint): Promise<bigint> {
    await tx.query(
      `insert into sender_day_count (user_id, unit, day, sum)
       select $1, $2, today, 0 from ${CLOCK}
       on conflict on constraint sender_day_count_pkey do nothing`,
      [userId, unit],
    );
    const [row] = await tx.query<{ counted: string }[]>(
      `with added as (
         update sender_day_count
            set day = ${TODAY.day}, sum = ${TODAY.sum} + $3, days = ${TODAY.daysAdding('$3', TODAY.days)}
           from ${CLOCK}
          where user_id = $1 and unit = $2
         returning ${TODAY.counted} as counted
       )
       select counted from added`,
      [userId, unit, more],
    );
    return BigInt(row!.counted);
  }

  async today(db: Queries = this.dataSource): Promise<Day> {
    const [row] = await db.query<Day[]>(
      `select ends_at as "endsAt", ceil(extract(epoch from ends_at - clock_timestamp()))::integer as "secondsLeft"
         from (select (today + 1)::timestamp at time zone 'UTC' as ends_at from ${CLOCK}) as day`,
    );
    return row!;
  }
}
