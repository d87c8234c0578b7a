import { join } from 'node:path';
import { localApi, localEngines } from './local/environment';
import { DIST, programIn } from './local/node-program';

/**
 * Starts `npm run admin`, `verify`, `doctor`, `migrate`, `archive` or `erasure`, which know only their environment. The
 * system of `npm start` provides whatever that leaves open.
 */
async function operate([command = '', ...typed]: string[]): Promise<void> {
  Object.assign(process.env, command === 'admin' ? await localApi(typed) : await localEngines());
  const program = programIn(DIST, join('commands', `${command}.js`));
  process.argv.splice(1, 2, program);
  await import(program);
}

operate(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
