import { RRuleTemporal } from 'rrule-temporal';
import { must } from '../../../libs/problem';
import { invalidField } from '../../platform/http';

export interface Timing {
  readonly rrule: string;
  /** An IANA name. */
  readonly timeZone: string;
  /** A local time there, such as `2031-02-01T20:00:00`. */
  readonly start: string;
  readonly durationSeconds: number;
  readonly count?: number;
  /** The last instant at which an occurrence may begin. */
  readonly until?: string;
}

export interface Occurrence {
  readonly opensAt: Date;
  readonly closesAt: Date;
}

export const OCCURRENCES_MAX = 1_000;

/** No walk goes farther, whatever a rule says. */
const YEARS_MAX = 5;
const DAY_MS = 86_400_000;
const FIVE_YEARS_MS = YEARS_MAX * 366 * DAY_MS;

const INTERVAL_MAX = 1_000;
const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)';

const listOf = (item: string): RegExp => new RegExp(`^${item}(?:,${item})*$`);

/** Without minutes and seconds, an occurrence a day is usual, and 24 are the most. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:YEARLY|MONTHLY|WEEKLY|DAILY)$/,
  INTERVAL: /^[1-9]\d{0,3}$/,
  BYMONTH: listOf('(?:[1-9]|1[0-2])'),
  BYWEEKNO: listOf('[+-]?(?:[1-9]|[1-4]\\d|5[0-3])'),
  BYYEARDAY: listOf('[+-]?(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  BYMONTHDAY: listOf('[+-]?(?:[1-9]|[12]\\d|3[01])'),
  BYDAY: listOf(`(?:[+-]?(?:[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY}`),
  BYHOUR: listOf('(?:\\d|1\\d|2[0-3])'),
  BYSETPOS: listOf('[+-]?(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  WKST: new RegExp(`^${WEEKDAY}$`),
};

const badRule = (message?: string): Error => invalidField('rrule', must.beA('recurrence-rule', message));

/**
 * The occurrences of a rule in a time zone, as RFC 5545 defines them: a local time that a change of clocks skips is not
 * an occurrence, and does not count; of one that comes twice, the first is. `recurrence.spec.ts` holds
 * the package to that.
 *
 * `rrule`, which is better known, has no bound: rules that never match kept it busy for nine seconds, and an interval
 * that is not a number forever; of a local time that comes twice it takes the second.
 */
export class Recurrence {
  private constructor(
    private readonly rule: RRuleTemporal,
    private readonly durationSeconds: number,
  ) {}

  /** For terms that were checked when they were stored. */
  static of(timing: Timing): Recurrence {
    const { rrule, timeZone, start, count, until, durationSeconds } = timing;
    const horizon = Date.parse(`${start}Z`) + FIVE_YEARS_MS;
    // The package reads no year before the year 0.
    const last = Math.max(0, Math.min(horizon, until === undefined ? Infinity : Date.parse(until)));
    const bounds = [
      ...(count === undefined ? [] : [`COUNT=${count}`]),
      `UNTIL=${basic(new Date(last).toISOString())}`,
    ];
    const rruleString = `DTSTART;TZID=${timeZone}:${basic(start)}\nRRULE:${[rrule, ...bounds].join(';')}`;
    return new Recurrence(new RRuleTemporal({ rruleString }), durationSeconds);
  }

  /** @throws Problem `request.invalid` naming a field, for rules without an end or an occurrence among others */
  static checked(timing: Timing): Recurrence {
    requireRule(timing.rrule);
    requireBound(timing);
    if (!isZone(timing.timeZone)) throw invalidField('timeZone', must.beA('time-zone'));
    requireExisting(timing);
    const recurrence = Recurrence.of(timing);
    recurrence.requireOccurrences(timing);
    return recurrence;
  }

  get first(): Occurrence {
    return this.after(new Date(0))!;
  }

  /** Returns the first occurrence that opens after an instant. */
  after(instant: Date): Occurrence | undefined {
    const found = this.rule.next(instant);
    return found ? this.occurrenceAt(found.epochMilliseconds) : undefined;
  }

  /** Returns the first ones that open after an instant. Each walk begins at the start, so this is one walk. */
  some(instant: Date, count: number): Occurrence[] {
    const found: Occurrence[] = [];
    this.rule.all(({ epochMilliseconds: ms }) => {
      if (ms > instant.getTime()) found.push(this.occurrenceAt(ms));
      return found.length < count;
    });
    return found;
  }

  private requireOccurrences({ count }: Timing): void {
    const found = this.rule.all((_, i) => i <= OCCURRENCES_MAX).length;
    if (found === 0) throw badRule('must have an occurrence between `start` and the end');
    if (count !== undefined && found < count)
      throw invalidField(
        'count',
        must.beAtMost(found, `must be at most ${found}: a series lasts ${YEARS_MAX} years`),
      );
    if (found > OCCURRENCES_MAX)
      throw invalidField('until', must.haveFewer({ noun: 'occurrence', maximum: OCCURRENCES_MAX }));
  }

  private occurrenceAt(ms: number): Occurrence {
    return { opensAt: new Date(ms), closesAt: new Date(ms + this.durationSeconds * 1_000) };
  }
}

/** The form without separators that the RFC has for times. */
const basic = (time: string): string => time.replace(/[-:]|\.\d+/g, '');

function requireRule(rrule: string): void {
  const parts = rrule.split(';').map((part) => part.split('=') as [string, string | undefined]);
  const names = parts.map(([name]) => name);
  if (names.includes('COUNT') || names.includes('UNTIL'))
    throw badRule('must leave COUNT and UNTIL to the fields `count` and `until`');
  // Positions among 24 hours of each day for five years keep a process busy for more than a second.
  if (names.includes('BYSETPOS') && names.includes('BYHOUR'))
    throw badRule('must have either BYSETPOS or BYHOUR');
  const isKnown = parts.every(
    ([name, value, ...more]) => more.length === 0 && value !== undefined && PARTS[name]?.test(value),
  );
  const { INTERVAL = '1' } = Object.fromEntries(parts) as Record<string, string>;
  if (!isKnown || new Set(names).size < names.length || Number(INTERVAL) > INTERVAL_MAX) throw badRule();
  try {
    new RRuleTemporal({ rruleString: `DTSTART:20310101T000000Z\nRRULE:${rrule}`, strict: true });
  } catch {
    throw badRule();
  }
}

function requireBound({ start, count, until }: Timing): void {
  if (count === undefined && until === undefined)
    throw invalidField('count', must.beThere('must be there, or `until`', ['count', 'until']));
  if (count !== undefined && until !== undefined)
    throw invalidField('until', must.beLeftOut('must be left out where there is a `count`'));
  if (until !== undefined && Date.parse(until) > Date.parse(`${start}Z`) + FIVE_YEARS_MS)
    throw invalidField('until', must.beWithin(FIVE_YEARS_MS / DAY_MS, 'start'));
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** A start that is skipped would move all later occurrences by an hour. */
function requireExisting({ start, timeZone }: Timing): void {
  const rruleString = `DTSTART;TZID=${timeZone}:${basic(start)}\nRRULE:FREQ=DAILY;COUNT=1`;
  const [found] = new RRuleTemporal({ rruleString }).all();
  if (found?.toString().startsWith(start)) return;
  throw invalidField(
    'start',
    must.beA('local-time', `must not be a time that the clocks of ${timeZone} skip`),
  );
}
