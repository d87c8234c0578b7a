import { AppConfig, loadConfig } from '../../src/platform/config';
import { RedisConnections } from '../../src/platform/redis';

export const SHARDS = 16;

/** A configuration for tests that do not need Postgres. */
export const configOf = (env: NodeJS.ProcessEnv): AppConfig =>
  loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    JWT_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
    SHARD_COUNT: String(SHARDS),
    ...env,
  });

export const connectionsOf = (env: NodeJS.ProcessEnv): RedisConnections =>
  new RedisConnections(configOf(env));
