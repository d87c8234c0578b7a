import { addedPacePlan } from './pace-plan';

const OPENS_AT = Date.parse('2026-02-16T12:00:00Z');
const CLOSES_AT = OPENS_AT + 3_600_000;

/** The even plan of ten packets that are added at an instant. */
const evenFrom = (readAtMs: number, until?: number) =>
  addedPacePlan(
    {
      pace: { kind: 'even', ...(until !== undefined && { until: new Date(until).toISOString() }) },
      packetCount: 10,
    },
    { opensAt: new Date(OPENS_AT), closesAt: new Date(CLOSES_AT), readAt: new Date(readAtMs), paced: [] },
  );

describe('packets that are added and released evenly', () => {
  it.each([
    ['before the opening', OPENS_AT - 60_000, OPENS_AT],
    ['at the opening', OPENS_AT, OPENS_AT],
    ['while it is open', OPENS_AT + 60_000, OPENS_AT + 60_000],
  ])('%s: begin at the later of now and the opening', (_, readAtMs, fromMs) => {
    expect(evenFrom(readAtMs)).toEqual({ kind: 'even', count: 10, fromMs, untilMs: CLOSES_AT });
  });

  it.each([
    ['opensAt', OPENS_AT - 60_000, OPENS_AT],
    ['now', OPENS_AT + 60_000, OPENS_AT + 60_000],
  ])('have to end later than %s', (name, readAtMs, until) => {
    const message = `must be later than ${name}`;
    expect(() => evenFrom(readAtMs, until)).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ field: 'pace.until', message })] }),
    );
  });
});
