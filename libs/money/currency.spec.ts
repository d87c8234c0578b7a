import { currencyDigits, CurrencyUnsupported } from '.';

describe('the currency', () => {
  it.each([
    ['CNY', 2],
    ['EUR', 2],
    ['USD', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['VND', 0],
    ['BHD', 3],
    ['KWD', 3],
    ['TND', 3],
  ])('%s has %i decimals', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits);
  });

  it.each(['HUF', 'IDR', 'COP', 'PKR'])('%s has the decimals of ISO 4217, not those of Intl', (currency) => {
    expect(currencyDigits(currency)).toBe(2);
  });

  it.each(['CLF', 'UYW'])('%s has four decimals, which no amount here has', (currency) => {
    expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
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
  ])('%p is no money and is refused by name', (currency) => {
    expect(() => currencyDigits(currency)).toThrow(CurrencyUnsupported);
    expect(() => currencyDigits(currency)).toThrow(`Currency "${currency}" is no money of ISO 4217.`);
  });
});
