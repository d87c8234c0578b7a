import { join } from 'node:path';
import { newSecret } from '../../libs/standard-webhooks';
import { reportOf } from '../../src/dev/conformance/conformance';
import { freePort } from '../../src/dev/engines';
import { runProgram } from '../harness/command-line';
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

it('npm run conformance says once that nobody answers, and checks nothing', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const program = join('dist', 'src', 'dev', 'conformance.js');
  const ended = await runProgram(process.execPath, [program, '--url', url, '--secret', newSecret()]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(`Nobody answers at ${url}: start the receiver first.\n`);
  expect(ended.stderr).not.toContain('…');
});
