import { reportOf } from '../../src/dev/conformance/conformance';
import { NODE, PYTHON } from './languages';
import { ReceiverProgram } from './receiver-program';

it.each([NODE, PYTHON])(
  'the receiver in $name passes every check, and the second report is the same',
  async (language) => {
    const receiver = await ReceiverProgram.start(language);
    try {
      const results = await receiver.conform();
      expect(results.filter(({ result }) => result !== 'passed')).toEqual([]);
      expect(reportOf(await receiver.conform())).toBe(reportOf(results));
    } finally {
      await receiver.stop();
    }
  },
);

it.each([
  { language: NODE, currency: 'KWD' },
  { language: PYTHON, currency: 'COINS' },
])(
  'the receiver in $language.name passes every check in $currency, with the decimals of that currency',
  async ({ language, currency }) => {
    const receiver = await ReceiverProgram.start(language, { currency });
    try {
      const results = await receiver.conform();
      expect(results.filter(({ result }) => result !== 'passed')).toEqual([]);
    } finally {
      await receiver.stop();
    }
  },
);
