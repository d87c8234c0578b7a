import { existsSync } from 'node:fs';

/** Returns the process environment. A `.env` file in the working directory adds what is not set. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
