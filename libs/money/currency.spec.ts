import { Currency, currencyDigits, CurrencyUnsupported, isCurrencyCode } from '.';

function digitsOf(code: string): number | undefined {
  try {
    return currencyDigits(code);
  } catch {
    return undefined;
  }
}

describe('the currency', () => {
  it('has the decimals of list one, and all of it', () => {
    const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));
    const all = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    const of = (digits: number) => all.filter((code) => digitsOf(code) === digits);
    expect(of(0).join(' ')).toBe('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF');
    expect(of(3).join(' ')).toBe('BHD IQD JOD KWD LYD OMR TND');
    expect(of(2).length).toBe(134);
    expect(of(2)).toEqual(expect.arrayContaining(['CNY', 'EUR', 'USD']));
  });

  it.each(['HUF', 'IDR', 'COP', 'PKR'])('%s has the decimals of ISO 4217, not those of Intl', (currency) => {
    expect(currencyDigits(currency)).toBe(2);
  });

  it.each(['CLF', 'UYW'])('%s has four decimals, which no amount here has', (currency) => {
    expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
    expect(() => currencyDigits(currency)).toThrow('has 4 decimals; three are the most.');
  });

  it.each([
    '',
    'XYZ',
    'cny',
    'CNY ',
    'RMB',
    'EURO',
    '¥',
    '__proto__',
    'constructor',
    'XTS',
    'XXX',
    'BYR',
    'DEM',
    'XAU',
  ])('%p is not money, and the refusal names it', (currency) => {
    expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
    expect(() => currencyDigits(currency)).toThrow(
      `Currency "${currency}" is not current money of ISO 4217.`,
    );
  });
});

describe('the code of a currency', () => {
  it.each(['CNY', 'COINS', 'V2B', 'ABCDEFGHIJKL'])('may be %s', (code) => {
    expect(isCurrencyCode(code)).toBe(true);
  });

  it.each(['', 'CN', 'ABCDEFGHIJKLM', 'cny', '2CNY', 'C-Y', ' CNY', 'CNY\n', 'xCNY', 'CNYx'])(
    'may not be %p',
    (code) => {
      expect(isCurrencyCode(code)).toBe(false);
    },
  );
});

describe('amounts of a currency', () => {
  it.each([
    ['CNY', 2, '7.10', 710n],
    ['JPY', 0, '710', 710n],
    ['KWD', 3, '0.710', 710n],
  ] as const)('in %s have %i decimals in both directions', (code, digits, text, minor) => {
    const currency = new Currency(code, digits);
    expect(currency.format(minor)).toBe(text);
    expect(currency.parse(text)).toBe(minor);
  });

  it('are not read from another text', () => {
    expect(() => new Currency('CNY', 2).parse('7.1.0')).toThrow('not an amount of money');
  });
});
