import { parseArgs } from 'node:util';
import { readEnvironment } from '../../../libs/environment';
import { signToken } from '../../platform/http/auth/sign-token';
import { localJwtSecret, ONLY_BY_SECRET, tokenSettings } from './secrets';
import { runningSystem } from './running';

const TOKEN_HOURS = 1;

/**
 * Returns the engines of `npm start` on this machine if the environment does not name any.
 * @throws Error that says what to do if no engines are known
 */
export async function localEngines(): Promise<NodeJS.ProcessEnv> {
  const env = readEnvironment();
  const localDir = env.LOCAL_DIR || '.local';
  const running = await runningSystem(localDir);
  if (!running) {
    if (env.DATABASE_URL || env.MIGRATION_DATABASE_URL) return {};
    throw new Error(
      'DATABASE_URL is not set, and npm start does not run here: start it in another terminal, or set it.',
    );
  }
  return {
    ...env,
    ...ONLY_BY_SECRET,
    DATABASE_URL: env.DATABASE_URL || running.databaseUrl,
    MIGRATION_DATABASE_URL:
      env.MIGRATION_DATABASE_URL || (env.DATABASE_URL ? '' : (running.ownerDatabaseUrl ?? '')),
    REDIS_URL: redisUrlOf(env) ?? running.redisUrl,
    JWT_SECRET: env.JWT_SECRET || localJwtSecret(localDir),
  };
}

/**
 * Returns the API of `npm start` on this machine, with a token only for that API, unless another API is
 * named.
 * @param typed may name an API by `--url`
 */
export async function localApi(typed: string[]): Promise<NodeJS.ProcessEnv> {
  const env = readEnvironment();
  const local = await runningSystem(env.LOCAL_DIR || '.local');
  const { url } = parseArgs({ args: typed, options: { url: { type: 'string' } }, strict: false }).values;
  const named = url ?? (env.HONGBAO_URL || local?.apiUrl);
  if (local === undefined || named !== local.apiUrl) return {};
  return { HONGBAO_URL: local.apiUrl, HONGBAO_TOKEN: env.HONGBAO_TOKEN || operatorToken(env) };
}

function operatorToken(env: NodeJS.ProcessEnv): string {
  const secret = env.JWT_SECRET || localJwtSecret(env.LOCAL_DIR || '.local');
  return signToken(tokenSettings(env, secret), { sub: 'admin', role: 'operator' }, TOKEN_HOURS);
}

/** Empty for a cluster or behind Sentinel; undefined where no variable names Redis. */
export function redisUrlOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env.REDIS_CLUSTER_NODES || env.REDIS_SENTINELS) return env.REDIS_URL ?? '';
  return env.REDIS_URL || undefined;
}
