import { type FirstTerms, termsHash } from './rehearsed-terms';

const OPENS_AT = new Date(Date.UTC(2031, 0, 1, 12));

const TERMS: FirstTerms = {
  limits: { perUser: 2, group: 'spring', timeZone: 'UTC' },
  showsBestLuck: false,
  sponsorId: 'shop',
  parts: 1,
  opensAt: OPENS_AT,
  paced: [],
  totalAmount: '20.00',
  packetCount: 10,
  split: { kind: 'random', min: '0.01', max: '5.00' },
};

const even = (opensAt: Date, lengthMs: number, firstNo = 1): FirstTerms['paced'][number] => ({
  pace: { kind: 'even', count: 10, fromMs: opensAt.getTime(), untilMs: opensAt.getTime() + lengthMs },
  firstNo,
  parts: 1,
});

const waves = (opensAt: Date, afterMs: number): FirstTerms['paced'][number] => ({
  pace: { kind: 'waves', waves: [{ atMs: opensAt.getTime() + afterMs, count: 10 }] },
  firstNo: 1,
  parts: 1,
});

const LATER = new Date(OPENS_AT.getTime() + 86_400_000);

const hash = (terms: Partial<FirstTerms> = {}) => termsHash({ ...TERMS, ...terms }, 2).toString('hex');

describe('the hash of rehearsed terms', () => {
  it.each<[string, Partial<FirstTerms>, Partial<FirstTerms>?]>([
    ['another day', { opensAt: LATER }],
    [
      'another day, at the same pace',
      { opensAt: LATER, paced: [even(LATER, 60)] },
      { paced: [even(OPENS_AT, 60)] },
    ],
    [
      'another day, in the same waves',
      { opensAt: LATER, paced: [waves(LATER, 5)] },
      { paced: [waves(OPENS_AT, 5)] },
    ],
    ['a currency of fewer decimals', { totalAmount: '20' }],
    [
      'a currency of more decimals',
      { totalAmount: '20.009', split: { kind: 'random', min: '0.015', max: '5' } },
    ],
    ['amounts of a split with other zeros', { split: { kind: 'random', min: '0.010', max: '5' } }],
    ['a split written in another order', { split: { max: '5.00', min: '0.01', kind: 'random' } }],
    ['limits that are counted apart', { limits: { ...TERMS.limits!, group: '\u001aspring' } }],
    ['packets that were added at a pace', { paced: [even(OPENS_AT, 60, 11)] }],
  ])('is the same for %s', (_, one, other = {}) => {
    expect(hash(one)).toBe(hash(other));
  });

  it.each<[string, Partial<FirstTerms>]>([
    ['no limits', { limits: null }],
    ['other limits', { limits: { ...TERMS.limits!, perUser: 3 } }],
    ['best luck', { showsBestLuck: true }],
    ['another sponsor', { sponsorId: 'bank' }],
    ['more parts', { parts: 2 }],
    ['a pace', { paced: [even(OPENS_AT, 60)] }],
    ['ten times the total', { totalAmount: '200' }],
    ['a cent more', { totalAmount: '20.01' }],
    ['one packet more', { packetCount: 11 }],
    ['another split', { split: { kind: 'equal' } }],
  ])('differs with %s', (_, change) => {
    expect(hash(change)).not.toBe(hash());
  });

  it('differs for different paces', () => {
    expect(hash({ paced: [even(OPENS_AT, 60)] })).not.toBe(hash({ paced: [even(OPENS_AT, 61)] }));
    expect(hash({ paced: [waves(OPENS_AT, 5)] })).not.toBe(hash({ paced: [waves(OPENS_AT, 6)] }));
  });
});
