import { exampleInstant } from '../../../platform/http';
import type { CompletedBody } from './completed-body';
import type { CreateActivityBody } from './create.dto';

type SplitTerms = Pick<CompletedBody, 'totalAmount' | 'packetCount' | 'split'>;

const RANDOM: SplitTerms = { totalAmount: '100.00', packetCount: 20, split: { kind: 'random' } };
const EQUAL: SplitTerms = { totalAmount: '100.00', packetCount: 20, split: { kind: 'equal' } };
const TIERS: SplitTerms = {
  totalAmount: '100.00',
  packetCount: 15,
  split: {
    kind: 'tiers',
    tiers: [
      { amount: '10.00', count: 5 },
      { amount: '5.00', count: 10 },
    ],
  },
};

const PAID_OUT = { ...EQUAL, payout: { channelId: '1' } };

export const PREVIEW_EXAMPLES: Readonly<Record<string, SplitTerms & Pick<CreateActivityBody, 'payout'>>> = {
  random: RANDOM,
  'random, within bounds': { ...RANDOM, split: { kind: 'random', min: '1.00', max: '20.00' } },
  equal: EQUAL,
  tiers: TIERS,
  'paid out': PAID_OUT,
};

/** The least that a rain has to say, apart from when. */
export const RANDOM_RAIN = { name: 'New Year rain', ...RANDOM };

const NOW = { opensAt: exampleInstant(0), closesAt: exampleInstant(24) };
const LATER = { opensAt: exampleInstant(2), closesAt: exampleInstant(24) };

const WAVES = [
  { at: exampleInstant(2), count: 15 },
  { at: exampleInstant(3), count: 5 },
];

export const CREATE_EXAMPLES: Readonly<Record<string, CreateActivityBody>> = {
  'random, now': { name: 'New Year rain', ...RANDOM, ...NOW },
  'equal, later': { name: 'New Year rain', ...EQUAL, ...LATER },
  tiers: { name: 'New Year rain', ...TIERS, ...LATER },
  'evenly over an hour': {
    name: 'New Year rain',
    ...RANDOM,
    ...LATER,
    pace: { kind: 'even', until: exampleInstant(3) },
  },
  'in waves': { name: 'New Year rain', ...RANDOM, ...LATER, pace: { kind: 'waves', waves: WAVES } },
  'paid out': { name: 'New Year rain', ...PAID_OUT, ...LATER },
  'with tickets': { name: 'New Year rain', ...RANDOM, ...LATER, admission: 'ticket' },
  'with a password': {
    name: 'New Year rain',
    ...RANDOM,
    ...LATER,
    audience: { kind: 'password', password: '恭喜发财' },
  },
  'with limits': {
    name: 'New Year rain',
    ...RANDOM,
    ...LATER,
    limits: { perUserPerDay: 1, group: 'spring', timeZone: 'Asia/Shanghai' },
  },
  'by a user: random, for a day from now on, for those with its link': {
    name: '恭喜发财',
    totalAmount: '50.00',
    packetCount: 10,
  },
  'from the wallet of a sponsor, by staff': {
    name: 'New Year rain',
    sponsorId: 'sponsor-1',
    ...RANDOM,
    ...LATER,
  },
};
