import { nextAt, nextFullHour, nextWeek } from '../../src/web/console/views/activities/creation/moments';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (...parts: [number, number, number, number, number]): number => new Date(...parts).getTime();

/** A Wednesday afternoon, by the clock of the browser. */
const NOW_MS = at(2031, 0, 15, 14, 30);

describe('the next start of a duplicate', () => {
  it.each([
    ['an hour ago', at(2031, 0, 15, 13, 30), at(2031, 0, 22, 13, 30)],
    ['in an hour', at(2031, 0, 15, 15, 30), at(2031, 0, 22, 15, 30)],
    ['eight days ago', at(2031, 0, 7, 20, 0), at(2031, 0, 21, 20, 0)],
    ['seven days ago to the minute', at(2031, 0, 8, 14, 30), at(2031, 0, 22, 14, 30)],
    ['years ago', at(2028, 0, 12, 9, 15), at(2031, 0, 22, 9, 15)],
  ])(
    'is on the same weekday at the same time, and in the future, if the rain opened %s',
    (_, openedMs, nextMs) => {
      expect(nextWeek(openedMs, NOW_MS)).toBe(nextMs);
      expect(new Date(nextMs).getDay()).toBe(new Date(openedMs).getDay());
    },
  );

  it('is the next full hour if a week after the rain is too far ahead for a window', () => {
    expect(nextWeek(NOW_MS + 360 * DAY_MS, NOW_MS)).toBe(at(2031, 0, 15, 15, 0));
  });
});

it.each([
  [at(2031, 0, 15, 14, 30), at(2031, 0, 15, 15, 0)],
  [at(2031, 0, 15, 14, 0), at(2031, 0, 15, 15, 0)],
  [at(2031, 11, 31, 23, 59), at(2032, 0, 1, 0, 0)],
])('the next full hour is always in the future', (nowMs, hourMs) => {
  expect(nextFullHour(nowMs)).toBe(hourMs);
});

it.each([
  ['today', at(2031, 0, 15, 19, 59), at(2031, 0, 15, 20, 0)],
  ['tomorrow from that moment on', at(2031, 0, 15, 20, 0), at(2031, 0, 16, 20, 0)],
])('a time in the evening is %s', (_, nowMs, eveningMs) => {
  expect(nextAt(20, nowMs)).toBe(eveningMs);
});
