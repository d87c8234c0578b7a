const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { swcOptions, TYPESCRIPT } = require('./test/harness/swc.js');

/**
 * Nest 12 and a few of its dependencies exist as ES modules only, which Jest can load with `require` on Node 24.9 and
 * later only. So that every supported Node works, exactly these packages are compiled to CommonJS (and cached).
 */
const moduleOnly = installedPackages().filter((directory) => manifest(directory).type === 'module');
const names = new Set(moduleOnly.map((directory) => directory.replace(/^.*node_modules\//, '')));

function installedPackages() {
  const lock = JSON.parse(readFileSync(join(__dirname, 'node_modules/.package-lock.json'), 'utf8'));
  return Object.keys(lock.packages);
}

function manifest(directory) {
  return JSON.parse(readFileSync(join(__dirname, directory, 'package.json'), 'utf8'));
}

const swc = (parser) => ['@swc/jest', swcOptions(parser)];

module.exports = {
  rootDir: __dirname,
  roots: ['src', 'libs', 'test', 'migrations'],
  testEnvironment: 'node',
  testRegex: '\\.spec\\.ts$',
  testTimeout: 60_000,
  // Many tests wait for other processes, so one worker more than the processors of a small machine is of use.
  maxWorkers: 3,
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  globalSetup: './test/harness/global-setup.ts',
  globalTeardown: './test/harness/global-teardown.ts',
  testSequencer: './test/harness/longest-first.js',
  transform: {
    '^.+\\.ts$': swc(TYPESCRIPT),
    '/node_modules/.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${[...names].join('|')})/)`],
};
