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

  it('the answer is undefined until the first sighting has the requested age', () => {
    expect(noteAfter(0, 1)).toBeUndefined();
    expect(noteAfter(4_999, 2)).toBeUndefined();
  });

  it('the answer is the end at that time, and never a later one', () => {
    for (let second = 0; second < 60; second++) {
      const old = noteAfter(1_000, second);
      expect(old).toBe(second < 5 ? undefined : second - 5);
    }
  });

  it('the answer is the last end that was seen if that sighting is older than the age', () => {
    noteAfter(0, 1);
    noteAfter(1_000, 2);
    expect(noteAfter(3_600_000, 3)).toBe(2);
  });

  it('the number of kept sightings stays small, however many are noted', () => {
    for (let look = 0; look < 10_000; look++) noteAfter(1, look);
    expect(sightings['seen'].length).toBeLessThanOrEqual(10);
    expect(noteAfter(0, 10_000)).toBeGreaterThanOrEqual(9_999 - 5_000 - 5_000 / 8);
  });

  it('the answer is the current end if the requested age is zero', () => {
    expect(new Sightings<number>().note(7, 0)).toBe(7);
  });
});
