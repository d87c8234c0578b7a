import { contrast, CONTRAST_MIN } from './contrast';

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#0000ff', '#FFFFFF', 8.59],
    ['#b3001b', '#ffd700', 5.11],
  ])('of %s and %s is %d, in either order', (color, other, ratio) => {
    expect(contrast(color, other)).toBeCloseTo(ratio, 2);
    expect(contrast(other, color)).toBeCloseTo(ratio, 2);
  });

  it('separates the lightest grey that is readable on white from the next lighter grey', () => {
    expect(contrast('#767676', '#ffffff')).toBeGreaterThanOrEqual(CONTRAST_MIN);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(CONTRAST_MIN);
  });
});
