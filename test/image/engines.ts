import { startPostgres, startRedis } from '../../src/dev/engines';
import { asAppRole } from '../../src/dev/local/app-role';
import { asRedisAppUser, redisAppUser } from '../../src/platform/redis';

const REDIS_PASSWORD = 'for-the-test-of-the-image';

export interface EngineUrls {
  /** Connects as the owner of the tables. */
  readonly ownerDatabaseUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Engines that production accepts, used with the rights that docs/security.md recommends. */
export async function withEngines<T>(
  localDir: string,
  work: (engines: EngineUrls) => Promise<T>,
): Promise<T> {
  const postgres = await startPostgres({ localDir });
  try {
    const redis = await startRedis({ localDir, appendOnly: true, users: [redisAppUser(REDIS_PASSWORD)] });
    try {
      return await work({
        ownerDatabaseUrl: postgres.url,
        databaseUrl: await asAppRole(postgres.url),
        redisUrl: asRedisAppUser(redis.url, REDIS_PASSWORD),
      });
    } finally {
      await redis.stop();
    }
  } finally {
    await postgres.stop();
  }
}
