import { DataSource, type DataSourceOptions, getMetadataArgsStorage } from 'typeorm';
import { ImpatientClient } from './impatient-client';
import { givenLimits, TIME_LIMITS } from './time-limits';

export interface ConnectionSettings {
  readonly databaseUrl: string;
  readonly poolMax: number;
  /**
   * Statements may take as long as they need: for work that no request waits for, such as
   * migrations.
   */
  readonly patient?: boolean;
}

/**
 * The limit is longer than the server's own, so that it takes effect only when the server's does
 * not.
 */
const ANSWER_TIMEOUT_MS = 9_000;
const CONNECT_TIMEOUT_MS = 2_000;

const IMPATIENT = { query_timeout: ANSWER_TIMEOUT_MS, ...TIME_LIMITS };

/**
 * Connections name themselves and fail instead of waiting without bound.
 */
export function dataSourceOptions({
  databaseUrl,
  poolMax,
  patient = false,
}: ConnectionSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    applicationName: 'hongbao',
    poolSize: poolMax,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { Client: ImpatientClient, keepAlive: true, ...(patient ? {} : IMPATIENT) },
    installExtensions: false,
    // All classes of this program that are marked as entities.
    entities: getMetadataArgsStorage().tables.map(({ target }) => target),
    synchronize: false,
  };
}

/**
 * Makes a pool whose connections ask only for the limits that they do not have, so that a pooler
 * may be in between.
 */
export async function poolOf(options: DataSourceOptions): Promise<DataSource> {
  const { url, extra } = options as { readonly url: string; readonly extra: object };
  const given: readonly string[] = 'lock_timeout' in extra ? await givenLimits(url) : [];
  const asked = Object.entries(extra).filter(([name]) => !given.includes(name));
  return new DataSource({ ...options, extra: Object.fromEntries(asked) });
}
