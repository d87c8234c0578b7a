import fc from 'fast-check';
import { choosePartCount, homeOf, partOfPacket, PARTS_MAX } from './rain-parts';

const parts = fc.integer({ min: 1, max: PARTS_MAX });

describe('packets that are dealt over parts', () => {
  it('each packet lies in one part, and the parts differ by one packet at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), parts, (packets, over) => {
        const sizes = new Array<number>(over).fill(0);
        for (let no = 1; no <= packets; no++) sizes[partOfPacket(no, over)]! += 1;
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(packets);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('all packets lie in part 0 if there is only one part', () => {
    fc.assert(fc.property(fc.integer({ min: 1 }), (no) => expect(partOfPacket(no, 1)).toBe(0)));
  });
});

describe('the home part of a user', () => {
  it('the home of a user is one of the parts, and always the same', () => {
    const user = fc.string({ minLength: 1, maxLength: 128, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), user, parts, (id, userId, over) => {
        const home = homeOf(String(id), userId, over);
        expect(home).toBe(homeOf(String(id), userId, over));
        expect(Number.isInteger(home) && home >= 0 && home < over).toBe(true);
      }),
    );
  });

  it('the home of a user never changes between releases, because notes about users are found by it', () => {
    const homes = ['u1', 'u2', 'ann', 'bob', 'google-oauth2|1234'].map((user) => homeOf('42', user, 16));
    expect(homes).toEqual([3, 11, 9, 7, 14]);
  });

  it.each([2, 3, 8, 16])('%i parts are home to nearly equal numbers of users, in any activity', (over) => {
    for (const activityId of ['1', '2', '1000']) {
      const sizes = new Array<number>(over).fill(0);
      for (let user = 0; user < 20_000; user++) sizes[homeOf(activityId, `u${user}`, over)]! += 1;
      for (const size of sizes) expect(Math.abs(size - 20_000 / over)).toBeLessThan((0.15 * 20_000) / over);
    }
  });
});

describe('the number of parts that is chosen', () => {
  it.each([
    ['the taps need one master', 1, { packetCount: 1_000_000, tapsPerSecond: 100_000, masters: 16 }],
    ['the taps need four', 4, { packetCount: 1_000_000, tapsPerSecond: 300_001, masters: 16 }],
    ['there are three masters', 3, { packetCount: 1_000_000, tapsPerSecond: 1_000_000, masters: 3 }],
    ['packets suffice for two', 2, { packetCount: 2_999, tapsPerSecond: 1_000_000, masters: 16 }],
    ['there are few packets', 1, { packetCount: 10, tapsPerSecond: 1_000_000, masters: 16 }],
    ['no master is known', 1, { packetCount: 1_000_000, tapsPerSecond: 1_000_000, masters: 0 }],
  ])('the number of parts is correct if %s', (_, expected, size) => {
    expect(choosePartCount(size)).toBe(expected);
  });
});
