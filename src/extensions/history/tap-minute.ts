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

export const byAnswer = (countOf: (answer: TapAnswer) => number): Record<TapAnswer, number> =>
  Object.fromEntries(TAP_ANSWERS.map((answer) => [answer, countOf(answer)])) as TapMinute['answers'];

export const noTaps = (): Pick<TapMinute, 'answers' | 'times'> => ({
  answers: byAnswer(() => 0),
  times: Array.from({ length: TIME_BUCKETS }, () => 0),
});
