import { paidAmounts } from './paid-amounts';

describe('the amounts that a receiver is tried with', () => {
  it.each([
    [{ currency: 'CNY' }, '0.01', '999999999999999.99'],
    [{ currency: 'JPY' }, '1', '999999999999999'],
    [{ currency: 'KWD' }, '0.001', '999999999999999.999'],
    [{ currency: 'COINS' }, '1', '999999999999999'],
    [{ currency: 'COINS', decimals: '2' }, '0.01', '999999999999999.99'],
    [{ currency: 'KWD', smallest: '0.5', largest: '7' }, '0.500', '7.000'],
    [{ currency: 'KWD', decimals: '3', smallest: '7.105', largest: '7.105' }, '7.105', '7.105'],
  ])('are, for %j, from %s to %s, as a call would write them', (wanted, smallest, largest) => {
    const paid = paidAmounts(wanted);
    expect(paid).toMatchObject({ currency: { code: wanted.currency }, smallest, largest });
  });

  it.each([
    [{ currency: 'CNY', smallest: '7.105' }, '--smallest is not an amount in CNY.'],
    [{ currency: 'COINS', largest: '7.1' }, '--largest is not an amount in COINS.'],
    [{ currency: 'KWD', decimals: '2' }, 'KWD has 3 decimals, as in ISO 4217.'],
    [{ currency: 'COINS', decimals: '3' }, '--decimals of points must be 0, 1 or 2.'],
    [{ currency: 'ABC' }, 'Currency "ABC" is not current money of ISO 4217.'],
    [{ currency: 'coins' }, 'Currency "coins" is not current money of ISO 4217.'],
  ])('are refused, for %j, with "%s"', (wanted, fault) => {
    expect(() => paidAmounts(wanted)).toThrow(fault);
  });
});
