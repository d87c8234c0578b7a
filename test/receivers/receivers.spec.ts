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
