import { readEnvironment } from '../../../libs/environment';
import { localJwtSecret, ONLY_BY_SECRET } from './jwt-secret';
import { runningSystem } from './running';

/** The environment; what it leaves open is taken from the system that `npm start` runs on this machine, if it does. */
export async function localEnvironment(): Promise<NodeJS.ProcessEnv> {
  const env = readEnvironment();
  const localDir = env.LOCAL_DIR || '.local';
  const running = await runningSystem(localDir);
  if (!running) return withEngines(env);
  return {
    ...env,
    ...ONLY_BY_SECRET,
    DATABASE_URL: env.DATABASE_URL || running.databaseUrl,
    MIGRATION_DATABASE_URL:
      env.MIGRATION_DATABASE_URL || (env.DATABASE_URL ? undefined : running.ownerDatabaseUrl),
    REDIS_URL: redisUrlOf(env) ?? running.redisUrl,
    JWT_SECRET: env.JWT_SECRET || localJwtSecret(localDir),
  };
}

/** Empty where Redis is a cluster or behind Sentinel; undefined where nobody says where it is. */
export function redisUrlOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env.REDIS_CLUSTER_NODES || env.REDIS_SENTINELS) return env.REDIS_URL ?? '';
  return env.REDIS_URL || undefined;
}

/** @throws Error that says what to do when no engines are known */
function withEngines(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env.DATABASE_URL || env.MIGRATION_DATABASE_URL) return env;
  throw new Error(
    'DATABASE_URL is not set, and npm start does not run here: start it in another terminal, or set it.',
  );
}
