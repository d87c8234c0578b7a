import { DataSource, type DataSourceOptions, getMetadataArgsStorage } from 'typeorm';
import { ImpatientClient, NAMING } from './impatient-client';
import type { OpenConnections } from './open-connections';
import { givenSettings, TIME_LIMITS } from './time-limits';

export interface ConnectionSettings {
  readonly databaseUrl: string;
  readonly poolMax: number;
  /** Statements may take as long as they need, because no request waits for them. */
  readonly patient?: boolean;
  /** Connections stay open however long they are idle. */
  readonly standing?: boolean;
  readonly open?: OpenConnections;
}

/** Longer than the server's own limit, so that it takes effect only when that does not. */
const ANSWER_TIMEOUT_MS = 9_000;
const CONNECT_TIMEOUT_MS = 2_000;

const IMPATIENT = { query_timeout: ANSWER_TIMEOUT_MS, ...TIME_LIMITS };

export function dataSourceOptions({
  databaseUrl,
  poolMax,
  patient = false,
  standing = false,
  open,
}: ConnectionSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    applicationName: 'hongbao',
    poolSize: poolMax,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: ImpatientClient,
      keepAlive: true,
      naming: NAMING,
      open: open?.clients,
      ...(patient ? {} : IMPATIENT),
      ...(standing && { idleTimeoutMillis: 0 }),
    },
    installExtensions: false,
    entities: getMetadataArgsStorage().tables.map(({ target }) => target),
    synchronize: false,
  };
}

/** Asks only for settings that the connections do not have, so that a pooler may be in between. */
export async function poolOf(options: DataSourceOptions): Promise<DataSource> {
  const { url, extra } = options as { readonly url: string; readonly extra: object };
  const given = await givenSettings(url, Object.keys({ ...extra, ...NAMING }));
  const asked = Object.entries(extra).filter(([name]) => !given.includes(name));
  return new DataSource({ ...options, extra: Object.fromEntries(asked) });
}
