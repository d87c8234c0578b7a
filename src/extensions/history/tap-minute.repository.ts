import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { TAP_ANSWERS, type TapAnswer } from '../../core/grab';
import type { TapMinute } from './tap-minute';

/** `limit` is a word of SQL. */
export const columnOf = (answer: TapAnswer): string =>
  answer === 'limit' ? 'limited' : answer.replaceAll('-', '_');

export const ANSWER_COLUMNS = TAP_ANSWERS.map(columnOf);

const SECONDS_A_MINUTE = 60;

/** Taps are kept from this long before an activity opens until this long after it has ended. */
const AROUND = `interval '1 hour'`;

@Injectable()
export class TapMinuteRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Adds to what other processes have counted in the same minutes. Taps at what is not an activity, or is archived, are
   * left out, and so are those long before the opening and after the end: a tap at any time must not make us
   * keep a row for every minute, nor make the steps of the history longer.
   */
  async add(minutes: readonly TapMinute[]): Promise<void> {
    const rows = minutes.map(({ activityId, minute, answers, times }) => ({
      activity_id: activityId,
      minute: minute * SECONDS_A_MINUTE,
      ...Object.fromEntries(TAP_ANSWERS.map((answer) => [columnOf(answer), answers[answer]])),
      times,
    }));
    const columns = ANSWER_COLUMNS.join(', ');
    await this.dataSource.query(
      `insert into tap_minute as kept (activity_id, minute, ${columns}, times)
       select activity_id, to_timestamp(minute), ${columns}, times
         from jsonb_to_recordset($1) as tapped (
                activity_id bigint, minute bigint, ${ANSWER_COLUMNS.map((one) => `${one} integer`).join(', ')},
                times integer[])
         join activity on activity.id = activity_id
        where archived_at is null
          and to_timestamp(minute) between opens_at - ${AROUND} and coalesce(closed_at, closes_at) + ${AROUND}
        order by activity_id, minute
       on conflict (activity_id, minute) do update
          set ${ANSWER_COLUMNS.map((one) => `${one} = kept.${one} + excluded.${one}`).join(', ')},
              times = array(select count + more
                              from unnest(kept.times, excluded.times) with ordinality as bucket (count, more, no)
                             order by no)`,
      [JSON.stringify(rows)],
    );
  }

  /** Deletes what is older, at most `limit` rows. Returns how many. */
  forgetOlder(keptDays: number, limit: number): Promise<number> {
    return this.delete(
      `select activity_id, minute from tap_minute
        where minute < now() - make_interval(days => $1) order by minute limit $2`,
      [keptDays, limit],
    );
  }

  /**
   * Deletes rows of archived activities, which are the oldest: only the `limit` rows with the lowest ids are looked at.
   */
  forgetArchived(limit: number): Promise<number> {
    return this.delete(
      `select activity_id, minute
         from (select activity_id, minute from tap_minute order by activity_id, minute limit $1) as lowest
         join activity on activity.id = activity_id
        where archived_at is not null`,
      [limit],
    );
  }

  private async delete(which: string, values: unknown[]): Promise<number> {
    const [row] = await this.dataSource.query<{ count: number }[]>(
      `with forgotten as (
         delete from tap_minute where (activity_id, minute) in (${which}) returning 1
       )
       select count(*)::int as count from forgotten`,
      values,
    );
    return row!.count;
  }
}
