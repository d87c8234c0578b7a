import { Keystream, newSeed } from './keystream';
import { InvariantViolation } from '../invariant';

const zeroSeed = '0'.repeat(64);

function take<T>(count: number, next: () => T): T[] {
  return Array.from({ length: count }, next);
}

describe('a seed', () => {
  it('a seed has 64 hexadecimal digits, and never occurs twice', () => {
    expect(newSeed()).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(take(100, newSeed)).size).toBe(100);
  });

  it.each(['', 'seed', '0'.repeat(63), '0'.repeat(65), 'G'.repeat(64), 'A'.repeat(64), `${zeroSeed}\n`])(
    'is refused when malformed: %p',
    (seed) => {
      expect(() => new Keystream(seed)).toThrow(InvariantViolation);
    },
  );
});

describe('the keystream', () => {
  it('the keystream is AES-256-CTR: the zero key turns the zero block into the published dc95c078a2408989 ad48a21492842087', () => {
    const keystream = new Keystream(zeroSeed);
    const values = take(2, () => keystream.below(2 ** 53));
    expect(values).toEqual(
      [0x78c095dc, 0x14a248ad].map((high, i) => (high >>> 11) * 2 ** 32 + [0x898940a2, 0x87208492][i]!),
    );
  });

  it('the same seed gives the same keystream, and another seed a different keystream', () => {
    const values = (seed: string) => {
      const keystream = new Keystream(seed);
      return take(2000, () => keystream.below(1_000_000));
    };
    expect(values(zeroSeed)).toEqual(values(zeroSeed));
    expect(values(zeroSeed)).not.toEqual(values('1'.padStart(64, '0')));
  });

  it('the keystream does not repeat after its first chunk of bytes', () => {
    const keystream = new Keystream(zeroSeed);
    expect(new Set(take(5000, () => keystream.below(2 ** 53))).size).toBe(5000);
  });
});

describe('an integer below a bound', () => {
  it('an integer below 1 is 0', () => {
    expect(new Keystream(zeroSeed).below(1)).toBe(0);
  });

  it('all values are about equally frequent', () => {
    const keystream = new Keystream(zeroSeed);
    const counts = Array<number>(7).fill(0);
    take(70_000, () => (counts[keystream.below(7)]! += 1));
    expect(Math.min(...counts)).toBeGreaterThan(9_700);
    expect(Math.max(...counts)).toBeLessThan(10_300);
  });

  it('small values are not preferred if the bound does not divide 2^53', () => {
    const keystream = new Keystream(zeroSeed);
    const bound = 0.75 * 2 ** 53;
    const values = take(30_000, () => keystream.below(bound));
    const inLowerThird = values.filter((value) => value < bound / 3).length;
    expect(values.every((value) => Number.isSafeInteger(value) && value >= 0 && value < bound)).toBe(true);
    expect(inLowerThird / values.length).toBeCloseTo(1 / 3, 2);
  });
});
