import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PLAY_MONEY } from '../../core/currency';
import type { TapAnswer } from '../../core/grab';
import { byAnswer } from './tap-minute';
import { ANSWER_COLUMNS, columnOf } from './tap-minute.repository';

export interface TapStep {
  readonly at: Date;
  readonly answers: Readonly<Record<TapAnswer, number>>;
  readonly times: readonly number[];
}

export interface MoneyStep {
  readonly at: Date;
  readonly wins: number;
  readonly credited: number;
  readonly creditedMinor: bigint;
}

/** The activities of a sponsor among which the previous one is searched for. */
const FORMER_LOOKED_AT_MAX = 100;

const stepOf = (moment: string): string => `date_bin(make_interval(secs => $2), ${moment}, 'epoch')`;

@Injectable()
export class HistoryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The seconds from the first to the last minute with taps. */
  async spanSeconds(activityId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ seconds: number }[]>(
      `select coalesce(extract(epoch from max(minute) - min(minute)), 0)::float8 as seconds
         from tap_minute where activity_id = $1`,
      [activityId],
    );
    return row!.seconds;
  }

  /** Returns the steps that have taps, in the order of time. */
  async taps(activityId: string, stepSeconds: number): Promise<TapStep[]> {
    const rows = await this.dataSource.query<(Pick<TapStep, 'at' | 'times'> & Record<string, number>)[]>(
      `with answered as (
         select ${stepOf('minute')} as at, ${ANSWER_COLUMNS.map((one) => `sum(${one})::float8 as ${one}`).join(', ')}
           from tap_minute where activity_id = $1 group by at
       ), timed as (
         select at, array_agg(count order by bucket) as times
           from (select ${stepOf('minute')} as at, bucket, sum(count)::float8 as count
                   from tap_minute cross join unnest(times) with ordinality as part (count, bucket)
                  where activity_id = $1 group by at, bucket) as summed
          group by at
       )
       select * from answered join timed using (at) order by at`,
      [activityId, stepSeconds],
    );
    return rows.map(({ at, times, ...counts }) => ({
      at,
      times,
      answers: byAnswer((answer) => counts[columnOf(answer)]!),
    }));
  }

  /** Wins and credits are counted from their own rows, so they never differ from the books. */
  async money(activityId: string, stepSeconds: number, limit: number): Promise<MoneyStep[]> {
    const rows = await this.dataSource.query<(Omit<MoneyStep, 'creditedMinor'> & { minor: string })[]>(
      `with paid as (
         select claim.confirmed_at, transfer.created_at as credited_at, transfer.amount_minor
           from claim
           left join transfer on transfer.kind = 'credit' and transfer.source_id = claim.id
                             and transfer.activity_id = claim.activity_id
          where claim.activity_id = $1
       ), happened as (
         select ${stepOf('confirmed_at')} as at, count(*) as wins, 0 as credited, 0 as minor from paid group by at
         union all
         select ${stepOf('credited_at')}, 0, count(*), sum(amount_minor) from paid
          where credited_at is not null group by 1
       )
       select at, sum(wins)::float8 as wins, sum(credited)::float8 as credited, sum(minor)::text as minor
         from happened group by at order by at limit $3`,
      [activityId, stepSeconds, limit],
    );
    return rows.map(({ minor, ...row }) => ({ ...row, creditedMinor: BigInt(minor) }));
  }

  /**
   * The activity of the same sponsor before this one that has taken taps, if its history is still kept. Rehearsals are
   * compared only with rehearsals.
   */
  async previousId(activityId: string, sponsorId: string): Promise<string | null> {
    const [row] = await this.dataSource.query<{ id: string }[]>(
      `select id
         from (select id, archived_at from activity
                where sponsor_id = $1 and id < $2
                  and (currency = '${PLAY_MONEY}') = (select currency = '${PLAY_MONEY}' from activity where id = $2)
                order by id desc limit ${FORMER_LOOKED_AT_MAX}) as former
        where archived_at is null and exists (select from tap_minute where activity_id = former.id)
        order by id desc limit 1`,
      [sponsorId, activityId],
    );
    return row?.id ?? null;
  }
}
