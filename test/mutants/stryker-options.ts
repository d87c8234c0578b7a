import { join } from 'node:path';
import type { Area } from './areas';
import { jestConfig, usesEngines } from './jest-config';

/** `dist/libs` because threads are started from the built files. */
const NEEDED = ['libs', 'src', 'test', 'migrations', 'deploy', 'dist/libs'];

/** A mutant whose tests take this much longer than before is in a loop. */
const LOOPS_AFTER_MS = { unit: 15_000, engines: 60_000 };

/** A guard against tests that hang even without a mutant. */
const UNCHANGED_WITHIN_MINUTES = 60;

/** Stryker's options for one area. From the report, the next run knows what it need not repeat. */
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
