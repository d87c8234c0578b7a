import { existsSync, readFileSync } from 'node:fs';
import { hideSecrets } from './hidden-secrets';

/** Each may be in a file named by NAME_FILE, because orchestrators mount secrets as files. */
export const SECRETS = [
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'MIGRATION_DATABASE_URL',
  'MIGRATION_DATABASE_PASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'JWT_PUBLIC_KEY',
  'CLAIM_LOG_KEY',
  'CLAIM_LOG_KEY_PREVIOUS',
  'CODE_SEAL_KEY',
  'CODE_SEAL_KEY_PREVIOUS',
  'ERASURE_KEY',
  'ERASURE_KEY_PREVIOUS',
];

/** A separate password need not be escaped, unlike a password in a URL. */
const PASSWORDS = [
  ['DATABASE_URL', 'DATABASE_PASSWORD'],
  ['MIGRATION_DATABASE_URL', 'MIGRATION_DATABASE_PASSWORD'],
] as const;

/** Editors and shells end a text with a line break, which is not part of the secret. */
const LINE_BREAK = /\r?\n$/;

/**
 * Returns the process environment with the secrets read from files. A `.env` file in the working directory
 * adds variables that are not set. From then on, nothing that the process writes shows a secret. Another
 * program may be started with the result unchanged: values named or held by a second variable have been read,
 * and that variable is empty.
 *
 * @throws Error that names the variable of a file that cannot be read, and a password that is set twice
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const env = { ...process.env };
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new Error(`${name} and ${name}_FILE are both set: leave one out.`);
    env[name] = contentOf(file, `${name}_FILE`);
    env[`${name}_FILE`] = '';
  }
  for (const name of SECRETS) if (env[name]) env[name] = env[name].replace(LINE_BREAK, '');
  hideSecrets(env);
  for (const [url, password] of PASSWORDS) addPassword(env, url, password);
  return env;
}

function addPassword(env: NodeJS.ProcessEnv, urlName: string, name: string): void {
  const [url, password] = [env[urlName], env[name]];
  if (!password) return;
  if (!url) throw new Error(`${name} is set without ${urlName}.`);
  const [, before, user, after] = /^([^:]+:\/\/)([^:@/]*)@(.*)$/s.exec(url) ?? [];
  if (user === undefined)
    throw new Error(
      `${name} needs a ${urlName} that names the user and no password, such as postgres://hongbao@db/hongbao.`,
    );
  env[urlName] = `${before}${user}:${encodeURIComponent(password)}@${after}`;
  env[name] = '';
}

function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${variable} names a file that cannot be read (${code}).`, { cause });
  }
}
