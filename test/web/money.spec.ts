import { moneyText } from '../../src/web/kit/money';

describe('an amount on a page', () => {
  it.each([
    ['HUF', '0.49', /0\.49/],
    ['JPY', '7', /7$/],
    ['CNY', '7.10', /7\.10/],
    ['KWD', '7.105', /7\.105/],
    ['COINS', '7', /^7\sCOINS$/],
  ])('in %s has the decimals of the API: %s', (currency, amount, shown) => {
    expect(moneyText(amount, currency, 'en')).toMatch(shown);
    expect(moneyText(amount, currency, 'en', Number(amount) / 2)).toHaveLength(
      moneyText(amount, currency, 'en').length,
    );
  });
});
