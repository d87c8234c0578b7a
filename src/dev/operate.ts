import { join } from 'node:path';
import { localApi, localEngines } from './local/environment';
import { DIST, programIn } from './local/node-program';

/**
 * Starts a command for operators: `npm run admin`, `verify`, `migrate` or `archive`. Each of them
 * knows only its environment. Here the system that `npm start` runs on this machine, if it does,
 * provides what the environment leaves open.
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
