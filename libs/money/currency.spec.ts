import { currencyDigits, CurrencyUnsupported } from '.';

describe('the decimals of a currency', () => {
  it.each([
    ['CNY', 2],
    ['EUR', 2],
    ['USD', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['VND', 0],
  ])('%s has %i', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits);
  });

  it.each(['HUF', 'IDR', 'COP', 'PKR'])(
    'of %s are those of ISO 4217, whatever Intl shows it with',
    (currency) => {
      expect(currencyDigits(currency)).toBe(2);
    },
  );

  it.each(['KWD', 'BHD', 'TND', 'IQD'])('%s has three and is refused', (currency) => {
    expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
  });

  it.each(['', 'XYZ', 'cny', 'CNY ', 'RMB', 'EURO', '¥', '__proto__', 'constructor'])(
    '%p is no currency and is refused by name',
    (currency) => {
      expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
      expect(() => currencyDigits(currency)).toThrow(`Currency "${currency}" is no ISO 4217 code.`);
    },
  );
});
