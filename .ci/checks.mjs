// The tests that decide, then lint. With `--all`, also the other tests, each kind of harm of the
// fault campaign once, and a tiny run of every bench. At the end each failed test file runs again
// alone, and so do the benches: one that passes then is unsteady, not red.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';

const EVERYTHING = process.argv.includes('--all');
const DECIDING = ['test', '--'];
const REST = ['run', 'test:all', '--', '--selectProjects', 'slow', 'model', 'cluster', 'sentinel'];
const BENCHES = ['run', 'bench', '--', '--tiny'];
/** The errors of a bench on a machine that is too busy. Any other may be about money. */
const BUSY = /^\w*Error: (Waited|No answer|Answers|A request was answered)\b/;
/**
 * Tests of money are never unsteady: these files, and failures that name a broken invariant or
 * proof.
 */
const MONEY_FILES = /\/test\/(model|reconciliation)\//;
const MONEY_WORDS = /\bI\d{1,2}\b|InvariantViolation|"balanced"/;
const LOCAL = '.local';
const RESULT = path.join(LOCAL, 'jest-result.json');

const failed = [];
const unsteadyLines = [];

/** Runs a command, with its output in a file if one is given. */
async function run(command, args, log) {
  const output = log ? fs.openSync(log, 'w') : 'inherit';
  const child = spawn(command, args, { stdio: ['ignore', output, output] });
  const [code] = await once(child, 'exit');
  if (log) fs.closeSync(output);
  return code === 0;
}

async function check(command, args, log) {
  const passed = await run(command, args, log);
  if (!passed) failed.push([command, ...args].join(' '));
  if (log && !passed) process.stdout.write(fs.readFileSync(log));
  return passed;
}

/** Jest's result; undefined when it could not begin. */
async function test(args, files = []) {
  fs.rmSync(RESULT, { force: true });
  const these = files.length > 0 ? ['--runTestsByPath', ...files] : [];
  const passed = await run('npm', [...args, '--json', `--outputFile=${RESULT}`, ...these]);
  const result = fs.existsSync(RESULT) ? JSON.parse(fs.readFileSync(RESULT, 'utf8')) : undefined;
  if (!passed && (result === undefined || result.success)) failed.push(`npm ${args.join(' ')}`);
  return result;
}

/**
 * Runs the benches alongside the campaign: two processors have room for that, because it mostly waits
 * for other processes.
 */
async function campaign() {
  const log = path.join(LOCAL, 'bench.txt');
  const harms = ['run', 'test:faults', '--', '--smoke', '--seed', '1', '--lanes', '3'];
  const [, benchesPassed] = await Promise.all([check('npm', harms), run('nice', ['npm', ...BENCHES], log)]);
  if (!benchesPassed) await benchesAlone(fs.readFileSync(log, 'utf8'));
}

/** The benches once more, after they failed alongside the campaign. */
async function benchesAlone(output) {
  process.stdout.write(output);
  const errors = output.match(/\w*Error: .*/g) ?? [];
  if (errors.length > 0 && errors.every((error) => BUSY.test(error))) {
    if (await check('npm', BENCHES, path.join(LOCAL, 'bench-alone.txt')))
      unsteadyLines.push(`benches: ${errors.join(' ')}`);
  } else failed.push(`benches: ${errors.join(' ') || 'did not end'}`);
}

const hasFailed = ({ status }) => status === 'failed';
const isMoney = ({ name, message }) => MONEY_FILES.test(name) || MONEY_WORDS.test(message);

/** The failed files of a result that pass alone. */
async function unsteadyFiles(args, { testResults }) {
  const files = testResults.filter(hasFailed);
  const names = new Set(files.map(({ name }) => name));
  const unsteady = [];
  for (const name of names) {
    const failures = files.filter((file) => file.name === name);
    if (!failures.some(isMoney) && (await test(args, [name]))?.success) unsteady.push(...failures);
  }
  return unsteady;
}

/** Titles of a file's failed tests; a file that could not run has none of its own. */
const failuresOf = ({ name, assertionResults }) => {
  const file = path.relative('', name);
  const tests = assertionResults.filter(hasFailed).map(({ fullName }) => fullName);
  return (tests.length > 0 ? tests : ['could not run']).map((title) => `${file}: ${title}`);
};

fs.mkdirSync(LOCAL, { recursive: true });
const results = [];
for (const args of EVERYTHING ? [DECIDING, REST] : [DECIDING])
  results.push({ args, result: await test(args) });
await check('npm', ['run', 'lint'], path.join(LOCAL, 'lint.txt'));
if (EVERYTHING) await campaign();

let passedCount = 0;
let failedCount = 0;
for (const { args, result } of results) {
  if (result === undefined) failedCount += 1;
  else {
    const unsteady = (await unsteadyFiles(args, result)).flatMap(failuresOf);
    unsteadyLines.push(...unsteady);
    passedCount += result.numPassedTests + unsteady.length;
    failedCount += result.numFailedTests + result.numRuntimeErrorTestSuites - unsteady.length;
  }
}
for (const line of unsteadyLines) console.log(`Unsteady: ${line}`);
for (const command of failed) console.log(`Failed: ${command}`);
console.log(`${passedCount} passed, ${failedCount} failed`);
process.exitCode = failed.length > 0 || failedCount > 0 ? 1 : 0;
