import { aheadOf, differencesFrom, differencesFromUnopened, type Truth } from './beside';
import type { Figure, Frame, PlayerMoney, Row } from './frame';
import { contradictionsIn, type RuleName, RULES } from './rules';

const OPENS = '2031-02-03T20:00:00.000Z';
const CLOSES = '2031-02-03T21:00:00.000Z';
const BEFORE = '2031-02-03T19:00:00.000Z';

const bar = (parts: Record<string, string>, funded: string, of = ''): Figure[] => [
  ...Object.entries(parts).map(([name, value]): Figure => ({ name, value: `${value} CNY`, of, bar: 'part' })),
  { name: 'Funded', value: `${funded} CNY`, of, bar: 'sum' },
];

const counts = (figures: Record<string, string>): Figure[] =>
  Object.entries(figures).map(([name, value]) => ({ name, value, of: '' }));

const row = (cells: Record<string, string>, instants: Record<string, string> = {}): Row => ({
  table: 'A table',
  cells,
  instants,
});

const SETTLED: Frame = {
  path: '/activities/7',
  text: 'Rain settled Confirmed 2 of 3',
  figures: [
    ...bar({ Credited: '0.00', 'Being paid out': '1.00', 'Paid out': '2.00', Refunded: '3.00' }, '6.00'),
    ...counts({ Confirmed: '2 of 3', Credited: '0', 'Being paid out': '1', 'Paid out': '1' }),
  ],
  rows: [row({ Payment: 'Paid out' }, { Won: OPENS, Credited: CLOSES }), row({ Payment: 'Being paid out' })],
  phases: { '': 'Settled' },
  window: [OPENS, CLOSES],
  previews: [],
};

const WON: PlayerMoney = {
  balance: '8.00',
  won: '¥8.00',
  settlement: 'In your wallet',
  answer: '¥2.00 is on its way.',
  withdrawals: [{ amount: '¥2.00', state: 'Sending' }],
};

/** What each rule must find, on a page without any other fault. */
const FAULTS: readonly (readonly [rule: RuleName, what: string, change: Partial<Frame>])[] = [
  [
    'a name that appears twice has one figure',
    'the wins by the taps next to different wins by the books',
    { figures: counts({ Wins: '155' }).concat(counts({ Wins: '146' })) },
  ],
  [
    'the parts of a bar add up',
    'paid-out money that is still in the wallets as well',
    { figures: bar({ Credited: '20.00', 'Paid out': '20.00' }, '20.00') },
  ],
  ['parts do not exceed their whole', 'more wins than packets', { text: '5 of 4 packets won, 4 paid' }],
  ['parts do not exceed their whole', 'more paid than won', { text: '3 of 4 packets won, 4 paid' }],
  [
    'parts do not exceed their whole',
    'a win in no state',
    { figures: counts({ Confirmed: '3 of 3', Credited: '2' }) },
  ],
  ['a rain that has ended is over everywhere', 'a secret seed', { text: 'Secret until the end' }],
  [
    'a rain that has ended is over everywhere',
    'packets that are left',
    { figures: counts({ 'Packets left': '3' }) },
  ],
  [
    'a rain that has ended is over everywhere',
    'an open Redis',
    { figures: counts({ 'Packets in Redis': 'open' }) },
  ],
  [
    'a rain that has ended is over everywhere',
    'a pending win',
    { rows: [row({ Payment: 'Pending' })], figures: [] },
  ],
  [
    'no list is called empty next to a count of its entries',
    'nobody among the winners',
    { text: 'No wins yet.', figures: counts({ 'Paid out': '2' }) },
  ],
  [
    'no list is called empty next to a count of its entries',
    'all wins paid',
    {
      text: 'All wins are paid',
      phases: { '': 'Open' },
      figures: bar({ 'On its way to wallets': '1.00' }, '1.00'),
    },
  ],
  [
    'no list is called empty next to a count of its entries',
    'all wins paid, beside a win that could not be',
    { text: 'All wins are paid', figures: counts({ 'Dead letters': '1' }) },
  ],
  ['instants come in a possible order', 'an end before the opening', { window: [OPENS, BEFORE] }],
  [
    'instants come in a possible order',
    'a row that closes before it opens',
    { rows: [row({}, { Opens: OPENS, Closes: BEFORE })] },
  ],
  [
    'a preview is not shown as a result',
    'payouts before the opening',
    { previews: [{ text: 'Paid out by', instants: [BEFORE] }] },
  ],
  [
    'a preview is not shown as a result',
    'amounts that nobody calls an example',
    { previews: [{ text: 'Cost 5.00 Median 1.00', instants: [] }] },
  ],
  [
    'the state of each row is counted above it',
    'a pending row, and none pending',
    {
      phases: { '': 'Open' },
      rows: [row({ Payment: 'Pending' })],
      figures: counts({ 'On their way to wallets': '0' }),
    },
  ],
  [
    'the state of each row is counted above it',
    'more winners than wins',
    { rows: [row({ Payment: 'Paid out' })], figures: counts({ Confirmed: '0 of 3' }) },
  ],
  ['what is left fits the phase', 'none left of an open rain', { rows: [row(listed('Open', '0'))] }],
  ['what is left fits the phase', 'more left than there are', { rows: [row(listed('Open', '11'))] }],
  ['what is left fits the phase', 'packets left of a settled rain', { rows: [row(listed('Settled', '0'))] }],
  [
    'what a player reads of their money fits together',
    'a payout on its way that was not paid',
    { player: { ...WON, withdrawals: [{ amount: '¥2.00', state: 'Failed. Returned to wallet.' }] } },
  ],
  [
    'what a player reads of their money fits together',
    'a win in a wallet that is empty',
    { player: { ...WON, balance: '0.00' } },
  ],
];

function listed(phase: string, left: string): Record<string, string> {
  return { Name: 'Rain', Phase: phase, Packets: `${left} of 10 left` };
}

describe('the rules about what a page says', () => {
  it('find nothing on a page without contradictions', () => {
    expect(contradictionsIn({ ...SETTLED, player: WON })).toEqual([]);
    expect(contradictionsIn({ ...SETTLED, rows: [row(listed('Open', '3'))], figures: [] })).toEqual([]);
  });

  it.each(FAULTS)('“%s” finds %s', (rule, _, change) => {
    expect(contradictionsIn({ ...SETTLED, ...change })).toEqual([expect.stringContaining(`: ${rule}: `)]);
  });

  it('can each fail', () => {
    expect(new Set(FAULTS.map(([rule]) => rule))).toEqual(new Set(Object.keys(RULES)));
  });
});

describe('a page compared with the API', () => {
  const truth: Truth = {
    phase: 'settled',
    cancelled: false,
    funded: '6.00',
    currency: 'CNY',
    packets: { claimed: 2, total: 3 },
  };

  it('agrees with it once nothing changes any more', () => {
    expect(differencesFrom(SETTLED, truth)).toEqual([]);
    expect(aheadOf(SETTLED, truth)).toEqual([]);
  });

  it.each<[string, Partial<Truth>]>([
    ['wins', { packets: { claimed: 1, total: 3 } }],
    ['packets', { packets: { claimed: 2, total: 2 } }],
    ['a phase', { phase: 'open' }],
  ])('must not be ahead of it with %s', (_, change) => {
    const after = { ...truth, ...change };
    expect(aheadOf(SETTLED, after)).toHaveLength(1);
    expect(differencesFrom(SETTLED, after)).toHaveLength(1);
  });

  it('shows the same sum, and says that a cancelled rain is cancelled', () => {
    expect(differencesFrom(SETTLED, { ...truth, funded: '7.00' })).toHaveLength(1);
    expect(differencesFrom(SETTLED, { ...truth, cancelled: true })).toHaveLength(1);
    expect(aheadOf({ ...SETTLED, phases: { '': 'Cancelled' } }, truth)).toHaveLength(1);
  });

  it('says of an activity that ended before it opened where its money went', () => {
    const text =
      'It was cancelled before it opened, so there were no wins. 6.00 CNY went back to the tea house.';
    const page = { ...SETTLED, text, phases: { '': 'Cancelled' } };
    const after = { ...truth, cancelled: true, packets: { claimed: 0, total: 3 } };
    expect(differencesFromUnopened(page, after)).toEqual([]);
    for (const change of [{ funded: '7.00' }, { cancelled: false }, { packets: truth.packets }])
      expect(differencesFromUnopened(page, { ...after, ...change })).toHaveLength(1);
    expect(differencesFromUnopened({ ...page, text: '' }, after)).toHaveLength(2);
  });
});
