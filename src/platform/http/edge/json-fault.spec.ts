import fc from 'fast-check';
import { jsonFault } from './json-fault';

describe('the place where a body stops being JSON', () => {
  it.each([
    ['{"amount": 7.10, "name": rain}', 'at line 1, column 26'],
    ['{\n  "amount": "7.10",\n}', 'at line 3, column 1'],
    ["{'amount': 1}", 'at line 1, column 2'],
    ['[1 2]', 'at line 1, column 4'],
    ['[1,]', 'at line 1, column 4'],
    ['{"a":1}}', 'at line 1, column 8'],
    ['{"a" 1}', 'at line 1, column 6'],
    ['[01]', 'at line 1, column 2'],
    ['["a\tb"]', 'at line 1, column 2'],
    ['{"name":', ': it ends too early'],
    ['', ': it ends too early'],
  ])('of %j is %s', (text, place) => {
    expect(jsonFault(text)).toBe(`The body is not JSON${place.startsWith(':') ? place : ` ${place}`}.`);
  });

  it('is found exactly where JSON.parse fails', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '}', ',', '"', '0', 'x', ' ', '\\', '-'))
      .map(([text, place, put]) => {
        const index = place % (text.length + 1);
        return text.slice(0, index) + put + text.slice(index + 1);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        expect([text, jsonFault(text) === undefined]).toEqual([text, isJson(text)]);
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
