// The launcher of every npm script of this repository: `node src/dev/launcher/run.mjs COMMAND
// [arguments]`. It builds what is out of date, then runs the command, with Node built-ins only,
// because it runs before anything is installed. Standard output belongs to the command.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import floor from '../../../deploy/node-floor.js';
import { withLock } from './lock.mjs';
import { bringNode } from './node.mjs';
import { Fault, say, step } from './step.mjs';
import { helps } from './usage.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const DEVELOPERS = [
  'start',
  'demo',
  'token',
  'conformance',
  'sandbox',
  'verify-split',
  'monitor',
  'rehearse',
  'script',
];
const START_AND_WATCH = 'start:dev';
/** Commands that use the system that `npm start` runs: see src/dev/operate.ts. */
const OPERATORS = ['admin', 'verify', 'doctor', 'migrate', 'archive', 'erasure'];
/** The command that requires all programs to be stopped. */
const SHARDS = 'shards';
const TESTS = ['all', 'clients', 'faults', 'fuzz', 'mutants', 'image', 'receivers'];
const MEASURES = [...TESTS, 'bench', 'drill', 'rules'];
const BIN = path.join('node_modules', '.bin');
const JEST = path.join('node_modules', 'jest', 'bin', 'jest.js');
const ALL = ['--config', 'jest.all.config.js'];
/** This command runs from the sources, which may not compile without its output. */
const GENERATOR = 'client';
/** Jest runs this when tests need programs: see test/harness/global-setup.ts. */
const BUILT = 'built';
/**
 * Commands that look after the sources: each runs several programs, until one fails. The longest is first,
 * because two run at once.
 */
const TOOLS = {
  format: [['prettier', '--write', '.']],
  lint: [
    ['eslint', '.'],
    ['prettier', '--check', '.'],
    ['tsc', '--noEmit'],
    ['tsc', '--noEmit', '-p', 'src/web'],
    ['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'libs', 'migrations', 'test'],
  ],
};
/** The same for named files. Rules that know types would read the whole program first, which takes ten seconds. */
const TOOLS_OF_FILES = {
  format: [['prettier', '--write', '--ignore-unknown']],
  lint: [
    ['prettier', '--check', '--ignore-unknown'],
    ['eslint', '--config', 'eslint.files.config.mjs', '--no-warn-ignored'],
  ],
};
/** Neither an option nor a pattern. */
const PLAIN_PATH = /^[\w./][\w./-]*$/;
const PACK = 'pack';
/** Scripts that install their own requirements. `.ci/run` is the last. */
const WITHOUT_PACKAGES = { docs: 'deploy/docs.mjs', release: 'deploy/release.mjs', checks: '.ci/checks.mjs' };
const FROM_SOURCES = ['test', 'all', 'clients', GENERATOR, PACK, ...Object.keys(TOOLS)];
const SOURCES = [
  'src',
  'libs',
  'migrations',
  'test',
  'deploy/compile.mjs',
  'deploy/swc.js',
  'deploy/bundle.mjs',
  'deploy/bundle-web.mjs',
  'deploy/packaged.mjs',
  'deploy/node-floor.js',
  'deploy/start.js',
  'package.json',
  'package-lock.json',
];
/** Needed by the system, its build and the private engines. All other packages are for tests and checks. */
const TO_RUN = ['ci', '--omit=dev', '--include=optional', '--no-audit', '--no-fund'];
const TO_DEVELOP = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
const BUILD_STAMP = path.join('dist', '.built-from');
const PARENT_CHECK_MS = 500;

async function main() {
  process.chdir(ROOT);
  const [command, ...args] = process.argv.slice(2);
  const programs = programsOf(command, args);
  if (helps(TESTS.includes(command) ? `test:${command}` : command, args)) return 0;
  const fault = floor.faultOfNode(readJson('package.json').engines);
  if (fault !== undefined) return runOnNewerNode(fault);
  if (!(command in WITHOUT_PACKAGES)) await alone((sign) => prepare(command, sign));
  return runAll(programs, args);
}

/** Every program that this run starts, npm included, finds that Node first. */
async function runOnNewerNode(fault) {
  const directory = await alone((sign) => bringNode(fault, sign));
  process.env.PATH = [directory, process.env.PATH].join(path.delimiter);
  return run(path.join(directory, 'node'), process.argv.slice(1));
}

/** Two at once, until one fails. */
async function runAll(programs, args) {
  const waiting = [...programs];
  let firstFault = 0;
  const runInTurn = async () => {
    while (firstFault === 0 && waiting.length > 0) {
      const code = await run(process.execPath, [...waiting.shift(), ...args]);
      firstFault ||= code;
    }
  };
  await Promise.all([runInTurn(), runInTurn()]);
  return firstFault;
}

const alone = (work) =>
  withLock(path.join('.local', 'setup.lock'), work, () =>
    say('Waiting for another run to finish its setup…'),
  );

/** Each with its first arguments. */
function programsOf(command, files) {
  if (command === BUILT) return [];
  const tools = (files.length === 0 ? TOOLS : TOOLS_OF_FILES)[command];
  if (tools === undefined) return [scriptOf(command)];
  const missing = files.find((file) => PLAIN_PATH.test(file) && !fs.existsSync(file));
  if (missing !== undefined) throw new Fault(`There is no file ${missing}.`);
  return tools.map(([name, ...args]) => [path.join(BIN, name), ...args]);
}

function scriptOf(command) {
  if (command === 'test') return [JEST];
  if (command === 'all') return [JEST, ...ALL];
  if (command === 'clients')
    return [JEST, ...ALL, '--selectProjects', 'slow', '--testPathPatterns', 'test/clients'];
  if (command === GENERATOR) return [path.join('test', 'client', 'run.js')];
  if (MEASURES.includes(command)) return [path.join('dist', 'test', command, 'run.js')];
  if (command === START_AND_WATCH) return [path.join('dist', 'src', 'dev', 'start.js'), '--watch'];
  if (DEVELOPERS.includes(command)) return [path.join('dist', 'src', 'dev', `${command}.js`)];
  if (OPERATORS.includes(command)) return [path.join('dist', 'src', 'dev', 'operate.js'), command];
  if (command === PACK) return ['deploy/pack.mjs'];
  if (command in WITHOUT_PACKAGES) return [WITHOUT_PACKAGES[command]];
  if (command === SHARDS) return [path.join('dist', 'commands', 'shards.js')];
  throw new Fault(
    `Unknown command ${command ?? ''}: use one of ${[...DEVELOPERS, START_AND_WATCH, ...OPERATORS, SHARDS, 'test', ...MEASURES, GENERATOR, PACK, ...Object.keys({ ...TOOLS, ...WITHOUT_PACKAGES })].join(', ')}.`,
  );
}

async function prepare(command, sign) {
  const develops = [...FROM_SOURCES, ...MEASURES, BUILT].includes(command) || fs.existsSync(JEST);
  if (!installedFromLock(develops))
    await step('Installing packages', 'npm', develops ? TO_DEVELOP : TO_RUN, sign);
  if (!FROM_SOURCES.includes(command)) await build(sign);
}

async function build(sign) {
  const sources = hashOf(SOURCES);
  if (read(BUILD_STAMP) === sources) return;
  await step('Building', 'npm', ['run', 'build'], sign);
  await step('Compiling', process.execPath, [path.join('dist', 'start.js')], sign);
  fs.writeFileSync(BUILD_STAMP, sources);
}

/** The record of npm must equal the lock file, less the optional packages of other machines. */
function installedFromLock(develops) {
  const installed = readJson(path.join('node_modules', '.package-lock.json'))?.packages;
  if (installed === undefined) return false;
  const wanted = readJson('package-lock.json').packages;
  delete wanted[''];
  const same = (name) =>
    installed[name]?.version === wanted[name]?.version &&
    installed[name]?.integrity === wanted[name]?.integrity;
  const missing = (name) =>
    installed[name] === undefined && (wanted[name].optional || (wanted[name].dev && !develops));
  return (
    Object.keys(installed).every(same) && Object.keys(wanted).every((name) => same(name) || missing(name))
  );
}

/** Changes with each file, unless only Jest reads it. */
function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesBelow).filter((name) => !name.endsWith('.spec.ts')))
    hash.update(`${file}\0`).update(fs.readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function filesBelow(target) {
  if (!fs.statSync(target).isDirectory()) return [target];
  return fs
    .readdirSync(target)
    .sort()
    .flatMap((name) => filesBelow(path.join(target, name)));
}

/** Passes every signal on and takes over the exit code. */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    whenOrphaned(() => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
  });
}

/** npm may be killed without a chance to notify us. */
function whenOrphaned(stop) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS);
  timer.unref();
}

function readJson(file) {
  const text = read(file);
  return text === undefined ? undefined : JSON.parse(text);
}

function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    say(error instanceof Fault ? error.message : `Unexpected: ${error.stack}`);
    process.exitCode = 1;
  },
);
