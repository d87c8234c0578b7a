const { execFileSync } = require('node:child_process');
const { existsSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { swcOptions, TYPESCRIPT } = require('../../deploy/swc.js');
const { BEHIND_SENTINEL, ON_CLUSTER } = require('./suites.js');

const ROOT = join(__dirname, '..', '..');

/**
 * Packages in bundles. ES modules, such as Nest 12, become CommonJS there: Jest can load them on
 * Node 24.9 and later only. These belong together and share their classes.
 */
const OF_THE_PRODUCT = [
  '@fastify/proxy-addr',
  '@fastify/static',
  '@nestjs/bullmq',
  '@nestjs/common',
  '@nestjs/common/constants.js',
  '@nestjs/common/internal',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@nestjs/testing',
  '@nestjs/typeorm',
  'bullmq',
  'class-transformer',
  'class-validator',
  'fast-jwt',
  'fastify',
  'ioredis',
  'lru-cache',
  'pg',
  'pg-copy-streams',
  'prom-client',
  'rxjs',
  'typeorm',
  'ws',
];
/** Each has a bundle of its own, because few spec files load it, or load nothing else. */
const OF_SOME_TESTS = [
  '@actions/workflow-parser',
  '@redocly/openapi-core',
  'dclint',
  'fast-check',
  'string-width',
];
const PACKAGES = [...OF_THE_PRODUCT, ...OF_SOME_TESTS];
const BUNDLE = join(ROOT, 'node_modules', '.cache', 'packages-of-tests');
const BUNDLER = join(__dirname, 'bundle-packages.mjs');
const MADE_FROM = [
  join(ROOT, 'node_modules', '.package-lock.json'),
  BUNDLER,
  join(__dirname, 'jest-projects.js'),
];

const changedAt = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
if (MADE_FROM.some((file) => changedAt(file) > changedAt(BUNDLE)))
  execFileSync(process.execPath, [BUNDLER, BUNDLE, OF_THE_PRODUCT.join(), ...OF_SOME_TESTS], { cwd: ROOT });

/** The globals that code reads most. Each becomes a parameter of every module. */
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

const common = {
  rootDir: ROOT,
  testEnvironment: 'node',
  // Otherwise each read of a global goes through the sandbox and takes a hundred times as long.
  sandboxInjectedGlobals: GLOBALS,
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions(TYPESCRIPT)] },
  moduleNameMapper: { [`^(${PACKAGES.join('|')})$`]: join(BUNDLE, '$1.js') },
};

/** Tests of single units, which need neither engines nor built programs. */
const unit = { ...common, displayName: 'unit', roots: ['libs', 'src'], testRegex: '\\.spec\\.ts$' };

const onEngines = {
  ...common,
  roots: ['test'],
  globalSetup: './test/harness/global-setup.ts',
  globalTeardown: './test/harness/global-teardown.ts',
};

const engines = { ...onEngines, displayName: 'engines', testRegex: '(?<!\\.slow)\\.spec\\.ts$' };

const slow = { ...onEngines, displayName: 'slow', testRegex: '\\.slow\\.spec\\.ts$' };

/** The stories of test/model again, with more random stories. */
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

const deciding = [unit, engines];

const rest = [slow, model, again('cluster', ON_CLUSTER), again('sentinel', BEHIND_SENTINEL)];

const options = {
  rootDir: ROOT,
  // Only a guard against hanging: a one-second test takes many seconds if other work has the processors.
  testTimeout: 300_000,
  // Most tests wait for other processes, so a processor can serve two workers.
  maxWorkers: 4,
  // What a file leaves behind makes garbage collection slower for all later files. A new worker takes half a second.
  workerIdleMemoryLimit: '250MB',
  testSequencer: './test/harness/longest-first.js',
};

module.exports = { deciding, options, rest };
