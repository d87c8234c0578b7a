import type { DataSourceOptions } from 'typeorm';
import { migrations } from '../../../migrations';

export interface ConnectionSettings {
  readonly databaseUrl: string;
  readonly poolMax: number;
}

/** No statement of this system is meant to run longer, except those that raise the limit for themselves. */
const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Connections speak UTC, name themselves, fail instead of waiting without bound, and keep committing durably even
 * where the server's default was relaxed.
 */
export function dataSourceOptions({ databaseUrl, poolMax }: ConnectionSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    applicationName: 'hongbao',
    poolSize: poolMax,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { statement_timeout: STATEMENT_TIMEOUT_MS, keepAlive: true },
    migrations,
    migrationsTransactionMode: 'each',
    installExtensions: false,
    synchronize: false,
  };
}
