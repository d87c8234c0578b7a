import { readEnvironment } from '../../platform/config';
import { localJwtSecret } from './jwt-secret';
import { runningSystem } from './running';

/** The environment; what it leaves open is taken from the system that `npm start` runs on this machine, if it does. */
export async function localEnvironment(): Promise<NodeJS.ProcessEnv> {
  const env = readEnvironment();
  const localDir = env.LOCAL_DIR || '.local';
  const running = await runningSystem(localDir);
  if (!running) return env;
  return {
    ...env,
    DATABASE_URL: env.DATABASE_URL || running.databaseUrl,
    REDIS_URL: env.REDIS_URL || running.redisUrl,
    JWT_SECRET: env.JWT_SECRET || localJwtSecret(localDir),
  };
}
