import { Sightings } from './sightings';

const AGE_MS = 5_000;

describe('sightings', () => {
  let nowMs: number;
  let sightings: Sightings<number>;

  beforeEach(() => {
    nowMs = 1_000_000;
    sightings = new Sightings<number>(() => nowMs);
  });

  const noteAfter = (ms: number, end: number): number | undefined => {
    nowMs += ms;
    return sightings.note(end, AGE_MS);
  };

  it('say nothing until the first one is as old as the age that is asked for', () => {
    expect(noteAfter(0, 1)).toBeUndefined();
    expect(noteAfter(4_999, 2)).toBeUndefined();
  });

  it('say where the end was that long ago, and never where it was later', () => {
    for (let second = 0; second < 60; second++) {
      const old = noteAfter(1_000, second);
      expect(old).toBe(second < 5 ? undefined : second - 5);
    }
  });

  it('say where the end was last seen, when nobody has looked for longer than the age', () => {
    noteAfter(0, 1);
    noteAfter(1_000, 2);
    expect(noteAfter(3_600_000, 3)).toBe(2);
  });

  it('stay few, however often somebody looks', () => {
    for (let look = 0; look < 10_000; look++) noteAfter(1, look);
    expect(sightings['seen'].length).toBeLessThanOrEqual(10);
    expect(noteAfter(0, 10_000)).toBeGreaterThanOrEqual(9_999 - 5_000 - 5_000 / 8);
  });

  it('say at once what is there when no age is asked for', () => {
    expect(new Sightings<number>().note(7, 0)).toBe(7);
  });
});
