import { type CurrencyDigits, Limits, limitsIn } from '.';

const CNY = { code: 'CNY', digits: 2 } as const;
const JPY = { code: 'JPY', digits: 0 } as const;
const KWD = { code: 'KWD', digits: 3 } as const;

const inEach = (setting: string, ...currencies: { code: string; digits: CurrencyDigits }[]): bigint[] =>
  currencies.map((currency) => Limits.of(setting, 'CNY')!.in(currency));

describe('the limits of a setting', () => {
  it('are read with their currencies, and a bare figure is in the default one', () => {
    expect(limitsIn('1000.00,COINS=50000,JPY=7', 'CNY')).toEqual([
      ['CNY', '1000.00'],
      ['COINS', '50000'],
      ['JPY', '7'],
    ]);
    expect(inEach('1000.00', CNY)).toEqual([100_000n]);
  });

  it('count minor units of each currency', () => {
    expect(inEach('CNY=12.34,JPY=500,KWD=1.234', CNY, JPY, KWD)).toEqual([1_234n, 500n, 1_234n]);
  });

  it('are zero for a currency that the setting leaves out, and none at all without the setting', () => {
    expect(inEach('CNY=12.34', JPY)).toEqual([0n]);
    expect(Limits.of(undefined, 'CNY')).toBeUndefined();
  });

  it('are not read from a figure that is not an amount', () => {
    expect(() => Limits.of('CNY=much', 'CNY')).toThrow('much is not a limit.');
  });
});
