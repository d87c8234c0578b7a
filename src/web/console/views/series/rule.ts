import { words } from '../../words';
import { listText, weekdayText } from '../../words/language';

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The input of the form about when something comes again. */
export interface RuleDraft {
  readonly kind: 'daily' | 'weekly' | 'monthly' | 'own';
  readonly days: readonly Weekday[];
  /** -1 is the last one of each month. */
  readonly dayOfMonth: string;
  /** A rule of RFC 5545. */
  readonly own: string;
}

export const EVERY_FRIDAY: RuleDraft = { kind: 'weekly', days: ['FR'], dayOfMonth: '1', own: '' };

export function ruleOf({ kind, days, dayOfMonth, own }: RuleDraft): string {
  if (kind === 'daily') return 'FREQ=DAILY';
  if (kind === 'weekly') return `FREQ=WEEKLY;BYDAY=${WEEKDAYS.filter((day) => days.includes(day)).join(',')}`;
  return kind === 'monthly' ? `FREQ=MONTHLY;BYMONTHDAY=${dayOfMonth}` : own.trim();
}

/** Whatever the simple choices cannot say is a rule of its own. */
export function ruleDraftOf(rrule: string): RuleDraft {
  const [, listed] = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(rrule) ?? [];
  const [, dayOfMonth = '1'] = /^FREQ=MONTHLY;BYMONTHDAY=(-1|\d+)$/.exec(rrule) ?? [];
  const days = (listed?.split(',') ?? ['FR']) as Weekday[];
  const kinds = ['daily', 'weekly', 'monthly'] as const;
  const drafts = kinds.map((kind): RuleDraft => ({ kind, days, dayOfMonth, own: rrule }));
  return drafts.find((draft) => ruleOf(draft) === rrule) ?? { ...EVERY_FRIDAY, kind: 'own', own: rrule };
}

/** A rule for people to read; one that the simple choices cannot say stays as it is. */
export function ruleText(rrule: string): string {
  const { kind, days, dayOfMonth, own } = ruleDraftOf(rrule);
  const said = words.series.rules;
  if (kind === 'daily') return said.daily;
  if (kind === 'weekly') return said.weekly(listText(days.map(weekdayNameOf)));
  if (kind === 'monthly') return dayOfMonth === '-1' ? said.lastOfMonth : said.monthly(dayOfMonth);
  return own;
}

export const weekdayNameOf = (day: Weekday): string => weekdayText(WEEKDAYS.indexOf(day));
