import type { SplitPlan } from '.';
import { Keystream } from './keystream';
import type { RandomValues } from './random-values';
import { drawAmounts } from './split';

/**
 * Statistics over many splits, which take their values from one stream in turn. The stream is fixed, so no
 * test fails by chance. Tolerances are several standard errors of the guarded number.
 */
const fixedValues = (): RandomValues => new Keystream('fa12'.repeat(16));

type Drawing = (totalMinor: bigint, packetCount: number, values: RandomValues) => number[];

const ours: Drawing = (totalMinor, packetCount, values) =>
  [...drawAmounts({ totalMinor, packetCount, plan: { kind: 'random' } }, values)].map(Number);

/** The usual draw: uniform up to twice the mean of the rest, handed out in this order. */
const doubleMean: Drawing = (totalMinor, packetCount, values) => {
  let rest = Number(totalMinor);
  return Array.from({ length: packetCount }, (_, index) => {
    const left = packetCount - index;
    const amount = left === 1 ? rest : 1 + values.below(Math.floor((rest / left) * 2) - 1);
    rest -= amount;
    return amount;
  });
};

interface Statistics {
  mean: number;
  spread: number;
}

/** Mean and standard deviation of the packets `from` … `to`, as multiples of the overall mean. */
function statistics(splits: number[][], from: number, to: number, meanMinor: number): Statistics {
  let sum = 0;
  let squares = 0;
  for (const amounts of splits) {
    for (let position = from; position < to; position++) {
      const share = amounts[position]! / meanMinor;
      sum += share;
      squares += share * share;
    }
  }
  const count = splits.length * (to - from);
  const mean = sum / count;
  return { mean, spread: Math.sqrt(squares / count - mean * mean) };
}

function drawMany(drawing: Drawing, splitCount: number, packetCount: number, meanMinor: number): number[][] {
  const totalMinor = BigInt(packetCount * meanMinor);
  const values = fixedValues();
  return Array.from({ length: splitCount }, () => drawing(totalMinor, packetCount, values));
}

describe('the chances of positions', () => {
  it('the first and the last hundred of a thousand packets have the same mean and spread within 1 %', () => {
    const compare = (drawing: Drawing) => {
      const splits = drawMany(drawing, 1_000, 1_000, 10_000);
      const first = statistics(splits, 0, 100, 10_000);
      const last = statistics(splits, 900, 1_000, 10_000);
      return { mean: last.mean / first.mean, spread: last.spread / first.spread };
    };
    const fair = compare(ours);
    expect(Math.abs(fair.mean - 1)).toBeLessThan(0.01);
    expect(Math.abs(fair.spread - 1)).toBeLessThan(0.01);

    const unshuffled = compare(doubleMean);
    expect(Math.abs(unshuffled.mean - 1)).toBeLessThan(0.01);
    expect(unshuffled.spread - 1).toBeGreaterThan(0.03);
  });

  it('each of ten packets has the same mean and spread within 2 %, while the unshuffled draw drifts by a third', () => {
    const byPosition = (drawing: Drawing) => {
      const splits = drawMany(drawing, 10_000, 10, 10_000);
      return Array.from({ length: 10 }, (_, position) => statistics(splits, position, position + 1, 10_000));
    };
    for (const { mean, spread } of byPosition(ours)) {
      expect(Math.abs(mean - 1)).toBeLessThan(0.02);
      expect(Math.abs(spread / 0.647 - 1)).toBeLessThan(0.02);
    }
    const unshuffled = byPosition(doubleMean);
    expect(unshuffled[9]!.spread / unshuffled[0]!.spread).toBeCloseTo(1.33, 1);
  });

  it('the remaining unit of an equal split falls on each position equally often', () => {
    const counts = orderCounts({ kind: 'equal' }, 6n, 5);
    expect(Object.keys(counts)).toHaveLength(5);
    expectEven(counts);
  });

  it('the tiers occur in every order equally often', () => {
    const tiers = [1n, 2n, 3n].map((amountMinor) => ({ amountMinor, count: 1 }));
    const counts = orderCounts({ kind: 'tiers', tiers }, 6n, 3);
    expect(Object.keys(counts)).toHaveLength(6);
    expectEven(counts);
  });
});

describe('the documented distribution of a random split', () => {
  it.each([
    [2, 0.577],
    [5, 0.658],
    [10, 0.647],
    [100, 0.594],
  ])(
    '%i packets have a standard deviation of %p times the distance of the mean from the min',
    (packetCount, spread) => {
      const splits = drawMany(ours, 60_000 / packetCount, packetCount, 10_000);
      expect(statistics(splits, 0, packetCount, 10_000).spread / spread).toBeCloseTo(1, 2);
    },
  );

  it('all amounts up to twice the mean are equally likely for two packets with a whole mean', () => {
    const counts = amountCounts(10n, 2);
    expect(Object.keys(counts)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expectEven(counts);
  });

  it('the two outermost amounts share the chance of one for two packets with a mean between two units', () => {
    const { 1: lowest, 10: highest, ...inner } = amountCounts(11n, 2);
    expect(Object.keys(inner)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
    expectEven({ ...inner, outermost: lowest! + highest! });
    expect(lowest).toBe(highest);
  });

  it('a mean just below two units is met by ones and twos, not by rounding down and leaving the rest to one user', () => {
    const values = fixedValues();
    const amounts = Array.from({ length: 100 }, () => ours(1_900n, 1_000, values));
    expect(Math.max(...amounts.flat())).toBeLessThanOrEqual(5);
  });

  it('a tight max narrows the interval to its mirror image around the mean', () => {
    const plan = { kind: 'random', maxMinor: 600n } as const;
    const values = fixedValues();
    const splits = Array.from({ length: 1_000 }, () =>
      [...drawAmounts({ totalMinor: 50_000n, packetCount: 100, plan }, values)].map(Number),
    );
    const amounts = splits.flat();
    expect(Math.max(...amounts)).toBe(600);
    expect(amounts.filter((amount) => amount < 400).length / amounts.length).toBeLessThan(0.04);
    expect(statistics(splits, 0, 100, 500).spread / (0.577 * 0.2)).toBeCloseTo(1, 1);
  });
});

/** Counts the outcomes in 20,000 splits. */
function countBy(keysOf: (values: RandomValues) => string[]): Record<string, number> {
  const values = fixedValues();
  const counts: Record<string, number> = {};
  for (let index = 0; index < 20_000; index++) {
    for (const key of keysOf(values)) counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function orderCounts(plan: SplitPlan, totalMinor: bigint, packetCount: number): Record<string, number> {
  return countBy((values) => [drawAmounts({ totalMinor, packetCount, plan }, values).join()]);
}

function amountCounts(totalMinor: bigint, packetCount: number): Record<string, number> {
  return countBy((values) => ours(totalMinor, packetCount, values).map(String));
}

function expectEven(counts: Record<string, number>): void {
  const values = Object.values(counts);
  const expected = values.reduce((sum, count) => sum + count, 0) / values.length;
  for (const count of values) expect(Math.abs(count / expected - 1)).toBeLessThan(0.06);
}
