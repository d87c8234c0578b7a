import { createRequire } from 'node:module';
import { specFiles } from './areas';

interface Project {
  readonly globalSetup?: string;
  readonly globalTeardown?: string;
}

/** A guard against a single test that hangs. */
const TEST_WITHIN_MS = 60_000;

export const usesEngines = (specs: readonly string[]): boolean =>
  specs.some((spec) => spec.startsWith('test/'));

/** The options of the unit tests and of the tests on engines, as in `npm test`. */
const projectsOf = (root: string): readonly Project[] =>
  (createRequire(root + '/')('./test/harness/jest-projects.js') as { deciding: readonly Project[] }).deciding;

/**
 * Returns a configuration for the specs with these prefixes, except slow ones. Jest starts no engine: one
 * Postgres is already running, and serves all planted mistakes of a night.
 */
export function jestConfig(root: string, beginnings: readonly string[]): object {
  const specs = specFiles(root, beginnings);
  const project = projectsOf(root)[usesEngines(specs) ? 1 : 0];
  const { globalSetup: _, globalTeardown: __, ...config } = project!;
  const roots = [...new Set(specs.map((spec) => `<rootDir>/${spec.slice(0, spec.lastIndexOf('/'))}`))];
  return {
    ...config,
    displayName: undefined,
    roots,
    testTimeout: TEST_WITHIN_MS,
    testRegex: specs.map((spec) => `/${spec}$`),
  };
}
