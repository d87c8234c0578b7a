import type { DataSourceOptions } from 'typeorm';
import { ImpatientClient } from './impatient-client';

export interface ConnectionSettings {
  readonly databaseUrl: string;
  readonly poolMax: number;
  /** Statements may take as long as they need: for work that nobody waits for, such as migrations. */
  readonly patient?: boolean;
}

/** No statement that somebody waits for is meant to run longer. */
const STATEMENT_TIMEOUT_MS = 8_000;

/** Longer than the server's own limit, so that it takes effect only when the server does not. */
const ANSWER_TIMEOUT_MS = 9_000;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * No transaction of ours keeps a row for long, so a longer wait is for a stranger: somebody's forgotten session, or a
 * table that is being rebuilt. The statement fails in time to do without that row.
 */
const LOCK_TIMEOUT_MS = 1_500;

/** No transaction waits this long between two statements. One whose process vanished would hold its locks for hours. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

const IMPATIENT = {
  Client: ImpatientClient,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
};

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
    extra: { keepAlive: true, ...(patient ? {} : IMPATIENT) },
    installExtensions: false,
    synchronize: false,
  };
}
