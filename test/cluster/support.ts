import { AppConfig, loadConfig } from '../../src/platform/config';
import { RedisConnections } from '../../src/platform/redis';
import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import type { Installation } from '../harness/installation';

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

/** Taps until there is an answer other than "not yet". */
export const insist = (rain: Installation, activityId: string, user: string): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await rain.user(user).post(`/v1/activities/${activityId}/grabs`);
      return answer.status === 503 || answer.status === 202 ? undefined : answer;
    },
    { what: `an answer for ${user}` },
  ) as Promise<Answer>;
