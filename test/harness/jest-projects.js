const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { swcOptions, TYPESCRIPT } = require('../../deploy/swc.js');
const { BEHIND_SENTINEL, ON_CLUSTER } = require('./suites.js');

const ROOT = join(__dirname, '..', '..');

/**
 * The packages that exist as ES modules only: Nest 12 and a few of its dependencies. Jest can load
 * those with `require` on Node 24.9 and later only. Exactly these are compiled to CommonJS (and
 * cached), so that every supported Node works.
 */
const moduleOnly = installedPackages().filter((directory) => manifest(directory).type === 'module');
const names = new Set(moduleOnly.map((directory) => directory.replace(/^.*node_modules\//, '')));

function installedPackages() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8'));
  return Object.keys(lock.packages);
}

function manifest(directory) {
  return JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8'));
}

/**
 * The globals that code reads most. Each becomes a parameter of every module, so no module may
 * declare one of these itself.
 */
const GLOBALS = [
  'Array',
  'BigInt',
  'Error',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Reflect',
  'Set',
  'String',
  'Symbol',
];

const swc = (parser) => ['@swc/jest', swcOptions(parser)];

const common = {
  rootDir: ROOT,
  testEnvironment: 'node',
  // Reading a global goes through the sandbox of the test and takes a hundred times as long as a
  // parameter.
  sandboxInjectedGlobals: GLOBALS,
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  transform: {
    '^.+\\.ts$': swc(TYPESCRIPT),
    '/node_modules/.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${[...names].join('|')})/)`],
};

/** Tests of one unit, which need neither engines nor built programs. */
const unit = {
  ...common,
  displayName: 'unit',
  roots: ['libs', 'src'],
  testRegex: '\\.spec\\.ts$',
};

const onEngines = {
  ...common,
  roots: ['test'],
  globalSetup: './test/harness/global-setup.ts',
  globalTeardown: './test/harness/global-teardown.ts',
};

const engines = { ...onEngines, displayName: 'engines', testRegex: '(?<!\\.slow)\\.spec\\.ts$' };

const slow = { ...onEngines, displayName: 'slow', testRegex: '\\.slow\\.spec\\.ts$' };

/** The stories of test/model again, with more random ones. */
const model = {
  ...onEngines,
  displayName: 'model',
  testRegex: 'test/model/.*\\.spec\\.ts$',
  globals: { tellsManyStories: true },
};

/** Some files again, on a Redis cluster or on a master behind Sentinel. */
const again = (kind, files) => ({
  ...onEngines,
  displayName: kind,
  testRegex: files,
  globals: { redisOfTests: kind },
  globalSetup: `./test/harness/${kind}-setup.ts`,
  globalTeardown: './test/harness/shared-teardown.ts',
});

/** The tests that decide. */
const deciding = [unit, engines];

const rest = [slow, model, again('cluster', ON_CLUSTER), again('sentinel', BEHIND_SENTINEL)];

const options = {
  rootDir: ROOT,
  // A limit against hanging only: a test of one second takes many if other work has the processors.
  testTimeout: 300_000,
  // Most tests wait for other processes, so two workers per processor of a small machine are
  // useful.
  maxWorkers: 4,
  testSequencer: './test/harness/longest-first.js',
};

module.exports = { deciding, options, rest };
