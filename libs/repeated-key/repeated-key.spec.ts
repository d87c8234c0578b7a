import fc from 'fast-check';
import { repeatedKey } from './repeated-key';

describe('a key that an object has twice', () => {
  it.each([
    ['{"amount":"1.00","amount":"9.00"}', 'amount'],
    ['{"a":{"b":[{"c":1},{"c":1,"d":2,"c":3}]}}', 'c'],
    ['{"amount" : 1, "\\u0061mount"\n:\t2}', 'amount'],
    ['{"":1,"":1}', ''],
    ['{"a\\"":1,"a\\"":1}', 'a"'],
    ['{"a":{"a":1},"a":1}', 'a'],
    ['{"x":"}","y":"{","x":1}', 'x'],
  ])('is found in %s', (json, key) => {
    JSON.parse(json);
    expect(repeatedKey(json)).toBe(key);
  });

  it.each([
    '{"a":{"a":{"a":[{"a":1},{"a":2}]}}}',
    '["a","a"]',
    '{"a":"a","b":"\\"a\\":1,\\"a\\":"}',
    '{"__proto__":1,"constructor":2}',
    '"a"',
  ])('is not found in %s', (json) => {
    JSON.parse(json);
    expect(repeatedKey(json)).toBeUndefined();
  });

  it('is not found in any JSON that was written from a value', () => {
    fc.assert(fc.property(fc.json(), (json) => repeatedKey(json) === undefined));
  });

  it('is found wherever it is added to an object', () => {
    const twice = fc
      .tuple(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat())
      .map(([object, n]) => {
        const keys = Object.keys(object);
        const key = keys[n % keys.length]!;
        return { key, json: `[${JSON.stringify(object).slice(0, -1)},${JSON.stringify(key)}:0}]` };
      });
    fc.assert(fc.property(twice, ({ key, json }) => repeatedKey(json) === key));
  });
});
