import { SeenAges } from './seen-ages';

describe('the age of the oldest member of a series', () => {
  let nowMs = 5_000;
  const ages = new SeenAges<string>(() => nowMs);

  it('is never below zero, and grows from its first sighting, as long as the clock that dated it says less', () => {
    expect(ages.secondsOf('open', '7', -7_156)).toBe(0);
    nowMs += 90_000;
    expect(ages.secondsOf('open', '7', -7_066)).toBe(90);
    expect(ages.secondsOf('open', '8', -7_000)).toBe(0);
  });

  it('is what the clock says if that is more, as for a member that is new to this process', () => {
    expect(ages.secondsOf('open', '9', 3_600)).toBe(3_600);
  });

  it('starts over after the series was empty, and is 0 in the meantime', () => {
    ages.secondsOf('open', '10', 0);
    nowMs += 1_000;
    expect(ages.secondsOf('open', undefined, 0)).toBe(0);
    nowMs += 1_000;
    expect(ages.secondsOf('open', '10', 0)).toBe(0);
  });
});
