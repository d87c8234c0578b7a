import { parseArgs } from 'node:util';
import { type Result, reportOf } from '../../src/dev/conformance/conformance';
import { exitAfter } from '../harness/exit-after';
import { type Language, LANGUAGES } from './languages';
import { ReceiverProgram } from './receiver-program';

interface Load {
  readonly payouts: number;
  readonly perSecond: number;
}

/** `npm run test:receivers`: the exit code is 1 if a receiver does not pass or cannot be run here. */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { payouts: { type: 'string', default: '1000' }, rate: { type: 'string', default: '500' } },
  });
  const load = { payouts: Number(values.payouts), perSecond: Number(values.rate) };
  const wanted = LANGUAGES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  let passed = 0;
  for (const language of wanted) if (await passes(language, load)) passed += 1;
  console.log(`${passed} of ${wanted.length} receivers pass.`);
  return passed === wanted.length;
}

/** Runs the kit twice: the reports must be the same. */
async function passes(language: Language, load: Load): Promise<boolean> {
  let receiver: ReceiverProgram | undefined;
  try {
    receiver = await ReceiverProgram.start(language);
    const startMs = performance.now();
    const results = await receiver.conform(load);
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    const again = await receiver.conform(load);
    const same = reportOf(results) === reportOf(again);
    console.log(
      `${language.name}: ${same ? lastLine(results) : 'another report in the second run.'} ${seconds} s`,
    );
    for (const { name, reason } of results.filter(({ result }) => result !== 'passed'))
      console.log(`  ${name}: ${reason}`);
    return same && results.every(({ result }) => result === 'passed');
  } catch (error) {
    console.log(`${language.name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    await receiver?.stop();
  }
}

const lastLine = (results: readonly Result[]): string => reportOf(results).split('\n').at(-1)!;

exitAfter(main());
