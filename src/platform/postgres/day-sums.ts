const DAYS_KEPT = 8;

/** SQL for the columns of a row with a sum per day. */
export interface DaySum {
  /** The current day and its sum, to which `update` sets the columns. */
  readonly day: string;
  readonly sum: string;
  /** The sums of the other days. */
  readonly days: string;
  /** `days`, after an amount was added to today's sum while a later day is current. */
  readonly daysAdding: (amount: string, days: string) => string;
  /** The sum that counts against today's limit. */
  readonly counted: string;
}

/**
 * The columns `day` and `sum` hold the current day, and `days` the sums of other days, nearest first: a clock
 * that was days ahead and is corrected finds what its day has used. If it steps back over midnight, the day
 * that has begun continues: additions count for both days, each with its own limit.
 *
 * @param today SQL for today, which is evaluated several times
 */
export function daySum(today: string, sum: string): DaySum {
  const nameOf = (day: string) => `to_char(${day}, 'YYYY-MM-DD')`;
  const keptOf = (day: string) => `coalesce((days->>${nameOf(day)})::bigint, 0)`;
  const day = `case when day = ${today} + 1 then day else ${today} end`;
  const current = `case when day in (${today}, ${today} + 1) then ${sum} else ${keptOf(today)} end`;
  return {
    day,
    sum: current,
    days: `case when day is null or day in (${today}, ${today} + 1) then days else (
             select jsonb_object_agg(key, value)
               from (select key, value from jsonb_each(days || jsonb_build_object(${nameOf('day')}, ${sum}))
                      order by abs(key::date - ${today}), key limit ${DAYS_KEPT}) as kept) end`,
    daysAdding: (amount, days) => `case when day = ${today} + 1
             then days || jsonb_build_object(${nameOf(today)}, ${keptOf(today)} + ${amount}) else ${days} end`,
    counted: `greatest(${current}, case when day = ${today} + 1 then ${keptOf(today)} end)`,
  };
}
