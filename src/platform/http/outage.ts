import { QueryFailedError } from 'typeorm';

const NETWORK_FAULTS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** SQLSTATE classes of a server that is away or full: connection, resources, operator intervention. */
const SERVER_AWAY = /^(08|53|57)/;

/** What the Postgres driver says, without any code, when its connection or its patience ended. */
const CONNECTION_LOST = /^(Connection terminated|timeout exceeded when trying to connect)/;

/** Whether an error means that something we stand on is away for the moment, so that trying again later makes sense. */
export function isOutage(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? String(cause.code) : '';
  return NETWORK_FAULTS.has(code) || SERVER_AWAY.test(code) || CONNECTION_LOST.test(cause.message);
}
