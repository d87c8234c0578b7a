import fc from 'fast-check';
import { formatMoney, parseMoney, type CurrencyDigits } from '.';

const anyDigits = fc.constantFrom<CurrencyDigits>(0, 1, 2, 3);
const largestMinor = (digits: CurrencyDigits) => 10n ** BigInt(15 + digits) - 1n;
const anyMoney = anyDigits.chain((digits) =>
  fc.record({ digits: fc.constant(digits), minor: fc.bigInt({ min: 0n, max: largestMinor(digits) }) }),
);

describe('parsing an amount', () => {
  it.each<[string, CurrencyDigits, bigint]>([
    ['0', 2, 0n],
    ['0.00', 2, 0n],
    ['0.01', 2, 1n],
    ['7', 2, 700n],
    ['7.1', 2, 710n],
    ['7.10', 2, 710n],
    ['10.05', 2, 1005n],
    ['999999999999999.99', 2, 99_999_999_999_999_999n],
    ['7', 1, 70n],
    ['7.5', 1, 75n],
    ['7', 3, 7_000n],
    ['7.105', 3, 7_105n],
    ['999999999999999.999', 3, 999_999_999_999_999_999n],
    ['710', 0, 710n],
    ['999999999999999', 0, 999_999_999_999_999n],
  ])('%p with %i digits is parsed as %p minor units', (text, digits, minor) => {
    expect(parseMoney(text, digits)).toBe(minor);
  });

  it.each([
    ['a negative amount', '-1'],
    ['negative zero', '-0'],
    ['a plus sign', '+1'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['a leading blank', ' 5'],
    ['a trailing blank', '5 '],
    ['a trailing newline', '5\n'],
    ['a second line', '5\n6'],
    ['too many decimals', '12.3456'],
    ['a point without decimals', '5.'],
    ['decimals without a whole', '.5'],
    ['two points', '1.2.3'],
    ['a comma', '1,5'],
    ['thousands', '1,000'],
    ['an underscore', '1_000'],
    ['a leading zero', '07'],
    ['many zeros', '00'],
    ['sixteen digits', '1000000000000000'],
    ['2^63', '9223372036854775808'],
    ['a huge number', '9'.repeat(100_000)],
    ['full-width digits', '\uff11\uff12'],
    ['Arabic digits', '١٢'],
    ['not a number', 'NaN'],
    ['infinity', 'Infinity'],
    ['a bigint literal', '5n'],
    ['a currency sign', '¥5'],
    ['a NUL', '5\0'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect([0, 1, 2, 3].map((digits) => parseMoney(text, digits as CurrencyDigits))).toEqual(
      Array(4).fill(undefined),
    );
  });

  it.each<[string, CurrencyDigits]>([
    ['7.0', 0],
    ['7.10', 1],
    ['7.100', 2],
  ])('%p is refused in a currency of %i digits, even if the rest is zero', (text, digits) => {
    expect(parseMoney(text, digits)).toBeUndefined();
  });

  it.each([5, 5.1, 0, NaN, 5n, null, undefined, true, ['5'], { toString: () => '5' }, new String('5')])(
    'refuses %p, which is not a string',
    (value) => {
      expect(parseMoney(value, 2)).toBeUndefined();
    },
  );

  it('parsing accepts exactly the strings of the published grammar', () => {
    const published = (digits: CurrencyDigits) =>
      digits === 0 ? /^(0|[1-9]\d{0,14})$/ : new RegExp(`^(0|[1-9]\\d{0,14})(\\.\\d{1,${digits}})?$`);
    const nearlyMoney = fc.string({ unit: fc.constantFrom(...'0019.-+e x\uff11\n'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(nearlyMoney, fc.string()), anyDigits, (text, digits) => {
        expect(parseMoney(text, digits) !== undefined).toBe(published(digits).test(text));
      }),
      { numRuns: 4_000 },
    );
  });
});

describe('formatting an amount', () => {
  it.each<[bigint, CurrencyDigits, string]>([
    [0n, 2, '0.00'],
    [1n, 2, '0.01'],
    [710n, 2, '7.10'],
    [100_000n, 2, '1000.00'],
    [-1n, 2, '-0.01'],
    [-710n, 2, '-7.10'],
    [1n, 3, '0.001'],
    [-7_105n, 3, '-7.105'],
    [5n, 1, '0.5'],
    [-5n, 1, '-0.5'],
    [710n, 0, '710'],
    [-710n, 0, '-710'],
    [2n ** 63n - 1n, 2, '92233720368547758.07'],
    [-(2n ** 63n), 2, '-92233720368547758.08'],
  ])('writes %p minor units with %i digits as %p', (minor, digits, text) => {
    expect(formatMoney(minor, digits)).toBe(text);
  });

  it('an amount is always written with exactly the digits of the currency', () => {
    fc.assert(
      fc.property(anyDigits, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (digits, minor) => {
        expect(formatMoney(minor, digits).split('.')[1] ?? '').toHaveLength(digits);
      }),
    );
  });

  it('a written amount is parsed as the same amount', () => {
    fc.assert(
      fc.property(anyMoney, ({ digits, minor }) => {
        expect(parseMoney(formatMoney(minor, digits), digits)).toBe(minor);
      }),
      { numRuns: 2_000 },
    );
  });
});
