import { existsSync, readFileSync } from 'node:fs';

/** Each may stand in a file, which NAME_FILE names: orchestrators mount secrets as files. */
export const SECRETS = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'JWT_PUBLIC_KEY',
  'CLAIM_LOG_KEY',
  'CLAIM_LOG_KEY_PREVIOUS',
];

/**
 * Returns the process environment with the secrets that files hold. A `.env` file in the working
 * directory adds what is not set.
 *
 * @throws Error that names the variable of a file that cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const env = { ...process.env };
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new Error(`${name} and ${name}_FILE are both set: leave one out.`);
    env[name] = contentOf(file, `${name}_FILE`);
  }
  return env;
}

/** Editors end a file with a line break, which is no part of the secret. */
function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${variable} names a file that cannot be read (${code}).`, { cause });
  }
}
