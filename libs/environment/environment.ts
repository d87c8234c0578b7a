import { existsSync } from 'node:fs';

/** The process environment; a `.env` file in the working directory fills in what it leaves open. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
