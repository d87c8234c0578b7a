import { Problem } from '../../../libs/problem';
import { Recurrence, type Timing } from './recurrence';

const timing = (change: Partial<Timing> = {}): Timing => ({
  rrule: 'FREQ=DAILY',
  timeZone: 'Europe/Berlin',
  start: '2031-01-01T20:00:00',
  durationSeconds: 3_600,
  count: change.until === undefined ? 3 : undefined,
  ...change,
});

function openingsOf(change: Partial<Timing>): string[] {
  const recurrence = Recurrence.checked(timing(change));
  const found: string[] = [];
  for (let next = recurrence.after(new Date(0)); next; next = recurrence.after(next.opensAt))
    found.push(next.opensAt.toISOString().slice(0, 16));
  return found;
}

function faultOf(change: Partial<Timing>): string {
  try {
    Recurrence.checked(timing(change));
    return 'none';
  } catch (error) {
    const [fault] = (error as Problem).fields ?? [];
    return `${fault?.field} ${fault?.message}`;
  }
}

describe('the occurrences of a rule', () => {
  it('keep their local time when the clocks go forward and back', () => {
    expect(openingsOf({ start: '2031-03-29T20:00:00' })).toEqual([
      '2031-03-29T19:00',
      '2031-03-30T18:00',
      '2031-03-31T18:00',
    ]);
    expect(openingsOf({ start: '2031-10-25T20:00:00' })).toEqual([
      '2031-10-25T18:00',
      '2031-10-26T19:00',
      '2031-10-27T19:00',
    ]);
  });

  it('leave out a local time that the clocks skip, which does not count', () => {
    expect(openingsOf({ start: '2031-03-29T02:30:00' })).toEqual([
      '2031-03-29T01:30',
      '2031-03-31T00:30',
      '2031-04-01T00:30',
    ]);
  });

  it('come once, at the first, at a local time that comes twice', () => {
    expect(openingsOf({ start: '2031-10-25T02:30:00' })).toEqual([
      '2031-10-25T00:30',
      '2031-10-26T00:30',
      '2031-10-27T01:30',
    ]);
  });

  it('follow a zone whose clocks change by half an hour, and one on the other side of the globe', () => {
    expect(openingsOf({ timeZone: 'Australia/Lord_Howe', start: '2031-04-05T12:00:00', count: 2 })).toEqual([
      '2031-04-05T01:00',
      '2031-04-06T01:30',
    ]);
    expect(openingsOf({ timeZone: 'Pacific/Auckland', start: '2031-09-27T12:00:00', count: 2 })).toEqual([
      '2031-09-27T00:00',
      '2031-09-27T23:00',
    ]);
  });

  it.each([
    ['FREQ=WEEKLY;BYDAY=FR', ['2031-01-03T20', '2031-01-10T20', '2031-01-17T20']],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', ['2031-01-03T20', '2031-01-13T20', '2031-01-17T20']],
    ['FREQ=MONTHLY;BYMONTHDAY=31', ['2031-01-31T20', '2031-03-31T20', '2031-05-31T20']],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', ['2031-01-31T20', '2031-02-28T20', '2031-03-31T20']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', ['2031-01-31T20', '2031-02-28T20', '2031-03-31T20']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=3', ['2031-02-03T20', '2032-02-03T20', '2033-02-03T20']],
    ['FREQ=DAILY;BYHOUR=12,20', ['2031-01-01T20', '2031-01-02T12', '2031-01-02T20']],
  ])('are those of %s', (rrule, expected) => {
    expect(openingsOf({ rrule, timeZone: 'UTC' })).toEqual(expected.map((hour) => `${hour}:00`));
  });

  it('end at the last instant that is named, which may be an occurrence itself', () => {
    const until = '2031-01-03T20:00:00+01:00';
    expect(openingsOf({ until })).toHaveLength(3);
    expect(openingsOf({ until: '2031-01-03T19:59:59+01:00' })).toHaveLength(2);
  });
});

describe('a rule is refused', () => {
  it.each([
    'FREQ=SECONDLY',
    'FREQ=MINUTELY',
    'FREQ=HOURLY',
    'FREQ=SOMETIMES',
    'EVERY=DAY',
    'FREQ=DAILY;FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;INTERVAL=1001',
    'FREQ=DAILY;INTERVAL=x',
    'FREQ=DAILY;BYSECOND=1',
    'FREQ=DAILY;BYMINUTE=0,1',
    'FREQ=DAILY;BYMONTH=13',
    'FREQ=DAILY;BYMONTHDAY=32',
    'FREQ=DAILY;BYDAY=XX',
    'FREQ=DAILY;BYHOUR=24',
    'FREQ=WEEKLY;BYDAY=5FR',
    'FREQ=DAILY;BYMONTH',
    'FREQ=DAILY;',
    'RRULE:FREQ=DAILY',
    'FREQ=DAILY\nRDATE:20310101T000000Z',
    'freq=daily',
  ])('for its form: %j', (rrule) => {
    expect(faultOf({ rrule })).toBe('rrule must be a rule of RFC 5545 such as FREQ=WEEKLY;BYDAY=FR');
  });

  it.each(['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;UNTIL=20310201T000000Z'])(
    'if it says itself when it ends: %s',
    (rrule) => {
      expect(faultOf({ rrule })).toBe('rrule must leave COUNT and UNTIL to the fields `count` and `until`');
    },
  );

  it('if it counts positions among hours, which takes a process too long', () => {
    expect(faultOf({ rrule: 'FREQ=DAILY;BYHOUR=12,20;BYSETPOS=1' })).toBe(
      'rrule must have either BYSETPOS or BYHOUR',
    );
  });

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO;BYSETPOS=7',
    'FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  ])('if it never comes: %s', (rrule) => {
    expect(faultOf({ rrule })).toBe('rrule must have an occurrence between `start` and the end');
  });

  it.each<[string, Partial<Timing>, string]>([
    ['forever', { count: undefined }, 'count must be there, or `until`'],
    [
      'with two ends',
      { until: '2031-02-01T00:00:00Z', count: 3 },
      'until must be left out where there is a `count`',
    ],
    ['too far', { until: '2039-01-01T00:00:00Z' }, 'until must be within 1830 days from start'],
    ['too often', { until: '2034-01-01T00:00:00Z' }, 'until must have at most 1000 occurrences'],
    ['more than fit', { rrule: 'FREQ=YEARLY', count: 30 }, 'count must be at most 6: a series lasts 5 years'],
    ['nowhere', { timeZone: 'Mars/Base' }, 'timeZone must be the IANA name of a time zone'],
    [
      'from a time that is skipped',
      { start: '2031-03-30T02:30:00' },
      'start must not be a time that the clocks of Europe/Berlin skip',
    ],
    [
      'only before the year 0',
      { count: undefined, until: '0000-01-01T00:00:00+23:59' },
      'rrule must have an occurrence between `start` and the end',
    ],
  ])('that runs %s', (_, change, fault) => {
    expect(faultOf(change)).toBe(fault);
  });
});
