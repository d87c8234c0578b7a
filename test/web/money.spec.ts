import { moneyText } from '../../src/web/kit/money';
import { exampleAmount } from '../../src/web/people/wish';
import { faultText, WORDS } from '../../src/web/people/words';

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

it('an amount with more digits than a number can hold is written to the last digit', () => {
  expect(moneyText('999999999999999.99', 'CNY', 'en')).toBe('¥999,999,999,999,999.99');
  expect(moneyText('999999999999.999', 'KWD', 'en')).toMatch(/999,999,999,999\.999$/);
});

describe('an amount that someone cannot send', () => {
  it.each([
    ['0.000', '3', '50.000', 'Up to 3 decimal places.', '最多 3 位小数'],
    ['0.00', '2', '50.00', 'Up to 2 decimal places.', '最多 2 位小数'],
    ['0', '0', '50', 'Whole amounts only.', '金额不能有小数'],
  ])('from a wallet that holds %s is refused with its %s decimals', (balance, maximum, example, en, zh) => {
    const tooMany = { field: 'totalAmount', message: '', rule: 'size', unit: 'decimals', maximum } as const;
    const said = [WORDS.en, WORDS.zh].map((words) => faultText(tooMany, words, exampleAmount(balance)));
    expect(said).toEqual([en, zh]);
    const none = { field: 'totalAmount', message: '', rule: 'form', expected: 'amount' } as const;
    expect(faultText(none, WORDS.en, exampleAmount(balance))).toBe(`Enter an amount such as ${example}.`);
  });
});
