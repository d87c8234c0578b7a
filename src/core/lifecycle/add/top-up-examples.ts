import { exampleInstant } from '../../../platform/http';
import type { TopUpBody } from './top-up.dto';

const MORE = { amount: '4.00', packetCount: 4 };

export const TOP_UP_EXAMPLES: Readonly<Record<string, TopUpBody>> = {
  'random, at once': MORE,
  equal: { ...MORE, split: { kind: 'equal' } },
  tiers: { ...MORE, split: { kind: 'tiers', tiers: [{ amount: '1.00', count: 4 }] } },
  'evenly over two hours': { ...MORE, pace: { kind: 'even', until: exampleInstant(2) } },
  'in waves': {
    ...MORE,
    pace: {
      kind: 'waves',
      waves: [
        { at: exampleInstant(2), count: 3 },
        { at: exampleInstant(3), count: 1 },
      ],
    },
  },
};
