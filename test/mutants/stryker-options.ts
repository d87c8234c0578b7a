import { join } from 'node:path';
import type { Area } from './areas';
import { jestConfig, usesEngines } from './jest-config';

/** Threads are started from what was built. */
const NEEDED = ['libs', 'src', 'test', 'migrations', 'deploy', 'dist/libs'];

/** A mutant that takes this much longer than its tests took before is in a loop. */
const LOOPS_AFTER_MS = { unit: 15_000, engines: 60_000 };

/** A limit against hanging of the tests without any mutant. */
const UNCHANGED_WITHIN_MINUTES = 60;

/** The options of Stryker for one area. The report has what the next run need not repeat. */
export const strykerOptions = (
  root: string,
  area: Area,
  directory: string,
  reportFile: string,
  repeatsAll: boolean,
): object => ({
  testRunner: 'jest',
  jest: {
    projectType: 'custom',
    config: { ...jestConfig(root, area.specs), rootDir: undefined },
    enableFindRelatedTests: false,
  },
  mutate: area.sources,
  coverageAnalysis: 'perTest',
  concurrency: 1,
  incremental: true,
  force: repeatsAll,
  incrementalFile: reportFile,
  timeoutMS: LOOPS_AFTER_MS[usesEngines(area.specs) ? 'engines' : 'unit'],
  dryRunTimeoutMinutes: UNCHANGED_WITHIN_MINUTES,
  ignorePatterns: [
    '*',
    ...NEEDED.map((name) => `!${name}/**`),
    '!package.json',
    '!package-lock.json',
    '!tsconfig*.json',
  ],
  disableTypeChecks: false,
  tempDirName: join(directory, 'sandbox'),
  reporters: [],
  allowConsoleColors: false,
  warnings: { slow: false },
});
