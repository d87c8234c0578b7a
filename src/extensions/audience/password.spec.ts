import { digestIn, digestOf, encodedPassword, ENCODED_LENGTH_MAX } from './password';

describe('a password', () => {
  it.each([
    ['case', 'Lucky', 'lUCKY'],
    ['a letter that has two capitals', 'Straße', 'STRASSE'],
    ['spaces of any kind', ' 恭喜　发\u00a0财\t', '恭喜发财'],
    ['width', 'ＡＢＣ１２３', 'abc123'],
    ['how an accent is written', 'café', 'cafe\u0301'],
    ['how a ligature is written', 'ﬁ', 'fi'],
    ['joiners and byte order marks', '恭\u200b喜\u200d发\ufeff财', '恭喜发财'],
    ['how an emoji is drawn', '❤️🧧', '❤🧧'],
    ['spaces after a final sigma', 'ΚΑΛΟΣ ΧΡΟΝΟΣ', 'καλοσχρονοσ'],
    ['joiners before a mark', 'e\u200b\u0301', 'é'],
  ])('is the same whatever its %s', (_, one, other) => {
    expect(digestOf(one)).toBe(digestOf(other));
  });

  it.each([
    ['恭喜发财', '恭喜發財'],
    ['lucky', 'lucky1'],
    ['🧧', '🎁'],
    ['🧑🏻', '🧑🏿'],
  ])('%s is another one than %s', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  it('is read from a header of percent-encoded UTF-8, and from a frame as it is', () => {
    expect(digestIn(encodeURIComponent('恭喜发财'))).toBe(digestOf('恭喜发财'));
    expect(digestIn(encodedPassword('100% 🧧'))).toBe(digestOf('100%🧧'));
    expect(digestIn('lucky')).toBe(digestOf('lucky'));
  });

  it.each([
    ['not UTF-8', '%E6%81'],
    ['not percent-encoded', '100%'],
    ['too long', 'x'.repeat(ENCODED_LENGTH_MAX + 1)],
    ['sent twice', ['lucky', 'lucky']],
    ['a number of a frame', encodedPassword(7)],
    ['half a character of a frame', encodedPassword('\ud83e')],
  ])('that is %s is none', (_, header) => {
    expect(digestIn(header)).toBeUndefined();
  });
});
