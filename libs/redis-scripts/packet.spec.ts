import fc from 'fast-check';
import { confirmedText, packetText, parsePacket } from './packet';

const packet = fc.record({
  no: fc.integer({ min: 1, max: 10_000_000 }),
  amountMinor: fc.bigInt({ min: 1n, max: 10n ** 18n }),
});

describe('the text of a packet', () => {
  it('a written packet is parsed with its exact amount', () => {
    fc.assert(
      fc.property(packet, (written) => {
        expect(parsePacket(packetText(written))).toEqual({ ...written, confirmed: false });
        expect(parsePacket(confirmedText(written))).toEqual({ ...written, confirmed: true });
      }),
    );
  });

  it('an amount beyond the precision of a double is kept', () => {
    expect(parsePacket('1:9007199254740993').amountMinor).toBe(9_007_199_254_740_993n);
  });

  it.each([
    '',
    '1',
    '1:',
    ':1',
    '1:1!!',
    '1:1 ',
    ' 1:1',
    '1:1\n',
    '1:-1',
    '-1:1',
    '1:1.5',
    '1:1e3',
    'a:b',
    '１:1',
  ])('the text %j is refused', (text) => expect(() => parsePacket(text)).toThrow(TypeError));
});
