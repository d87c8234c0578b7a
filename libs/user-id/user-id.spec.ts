import { AWKWARD_USER_IDS, VISIBLE } from '../../test/harness/user-ids';
import { isPersonId, isUserId, PERSON_ID_PATTERN, USER_ID_PATTERN } from '.';

const PSEUDONYM = `erased-${'0a'.repeat(16)}`;

describe('a user id', () => {
  it.each([...AWKWARD_USER_IDS, ...VISIBLE.filter((character) => character !== '.'), 'u'.repeat(128)])(
    'may be %j',
    (id) => {
      expect(isUserId(id)).toBe(true);
    },
  );

  it.each([
    ...['', ' ', 'a b', ' a', 'a ', 'a\n', '\ta', 'a\u0000b'],
    ...['\u007f', '\u0080', '\u00a0', 'ü', '🧧', '\ud800'],
    ...['.', '..', 'u'.repeat(129), 7, 7n, null, undefined, true, {}, ['u1'], { toString: () => 'u1' }],
  ])('cannot be %p', (id) => {
    expect(isUserId(id)).toBe(false);
  });

  it('cannot be a pseudonym, which readers may name, but may look almost like one', () => {
    expect([isUserId(PSEUDONYM), isPersonId(PSEUDONYM)]).toEqual([false, true]);
    for (const almost of [
      'erased-',
      'erased-tom',
      PSEUDONYM.toUpperCase(),
      `${PSEUDONYM}0`,
      ` ${PSEUDONYM}`.trim() + '.',
    ])
      expect(isUserId(almost)).toBe(true);
    expect([isPersonId('..'), isPersonId('a b'), isPersonId(7)]).toEqual([false, false, false]);
    const patterns = [USER_ID_PATTERN, PERSON_ID_PATTERN].map((pattern) =>
      new RegExp(pattern, 'u').test(PSEUDONYM),
    );
    expect(patterns).toEqual([false, true]);
  });

  it('the published pattern is the same rule', () => {
    expect(new RegExp(USER_ID_PATTERN, 'u').test('auth0|5f7c')).toBe(true);
    expect(['a b', '.', '..'].some((id) => new RegExp(USER_ID_PATTERN, 'u').test(id))).toBe(false);
  });
});
