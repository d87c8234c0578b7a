import { Chance } from '../faults/chance';
import { type Stratum, zOf } from './two-samples';

const COUNT = 2_000;

function samples(words: string, shift: number): Stratum[] {
  const chance = new Chance(words);
  const sample = (base: number) => Array.from({ length: COUNT }, () => base + chance.fraction() ** 2);
  return [0, 100].map((base) => ({ one: sample(base + shift), other: sample(base) }));
}

describe('the comparison of two samples', () => {
  it('finds no difference where there is none', () => {
    const beyond = Array.from({ length: 20 }, (_, i) => Math.abs(zOf(samples(`same ${i}`, 0)))).filter(
      (z) => z > 2.6,
    );
    expect(beyond.length).toBeLessThanOrEqual(2);
  });

  it('finds a shift of a tenth of the spread, with its sign, however much the kinds differ', () => {
    expect(zOf(samples('later', 0.03))).toBeGreaterThan(3.3);
    expect(zOf(samples('sooner', -0.03))).toBeLessThan(-3.3);
  });

  it('knows the rank sum of a small example, with ties', () => {
    expect(zOf([{ one: [1, 2], other: [3, 4] }])).toBeCloseTo(-2 / Math.sqrt(5 / 3));
    expect(zOf([{ one: [1, 1], other: [1, 1] }])).toBe(0);
  });
});
