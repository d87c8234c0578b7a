import fc from 'fast-check';
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
    ['half-width letters with a mark', 'ｶﾞﾝﾊﾞﾚ', 'ガンバレ'],
    ['syllables in letters', '복', '복'.normalize('NFD')],
    ['numbers in circles', '①②③', '123'],
    ['a family drawn as one or as three', '👨\u200d👩\u200d👧', '👨👩👧'],
    ['ideographs for compatibility', '\uf9dc', '隆'],
    ['direction', '\u202eabc\u202c', 'abc'],
  ])('is the same whatever its %s', (_, one, other) => {
    expect(digestOf(one)).toBe(digestOf(other));
  });

  it.each([
    ['恭喜发财', '恭喜發財'],
    ['lucky', 'lucky1'],
    ['🧧', '🎁'],
    ['🧑🏻', '🧑🏿'],
    ['🇨🇳', '🇳🇨'],
    ['1', '1\u20e3'],
    ['ö', 'o'],
    ['o', '0'],
  ])('%s is not the same as %s', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  it('is the same in every normal form, in both cases, and with spaces anywhere', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });
    const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;
    fc.assert(
      fc.property(text, fc.constantFrom(...forms), fc.nat(64), (password, form, at) => {
        const digest = digestOf(password);
        expect(digestOf(password.normalize(form))).toBe(digest);
        const letters = [...password];
        expect(digestOf([...letters.slice(0, at), ' \u3000\u200b', ...letters.slice(at)].join(''))).toBe(
          digest,
        );
        expect(digestOf(password.toUpperCase())).toBe(digestOf(password.toLowerCase()));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is read from a header of percent-encoded UTF-8, and verbatim from a frame', () => {
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
  ])('that is %s is not a password', (_, header) => {
    expect(digestIn(header)).toBeUndefined();
  });
});
