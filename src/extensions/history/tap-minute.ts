import { TAP_ANSWERS, type TapAnswer } from '../../core/grab';
import { TIME_BUCKETS } from './tap-times';

/** The taps of one activity in one minute. */
export interface TapMinute {
  readonly activityId: string;
  /** Since 1970. */
  readonly minute: number;
  readonly answers: Record<TapAnswer, number>;
  /** How many answers took how long, by bucket; without `unavailable`. */
  readonly times: number[];
}

export const emptyMinute = (activityId: string, minute: number): TapMinute => ({
  activityId,
  minute,
  answers: Object.fromEntries(TAP_ANSWERS.map((answer) => [answer, 0])) as TapMinute['answers'],
  times: Array.from({ length: TIME_BUCKETS }, () => 0),
});
