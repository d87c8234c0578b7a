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

/** What the driver or the ORM says, without any code, when a connection or their patience has ended. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query runner already released)/;

/** SQLSTATE of a server that is away, full, closed for maintenance, or has given up a transaction: 08, 53, 57, 55000, 25P03. */
const SERVER_AWAY = /^(08|53|57|55000|25P03)/;

/** SQLSTATE of values that do not fit, of constraints, and of functions that refuse a row: 22, 23, P0. */
const DATA_REFUSED = /^(22|23|P0)[0-9A-Z]{3}$/;

const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

function codeOf(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Whether an error means that a server is away for the moment, so that trying again later makes sense. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  if (NETWORK_FAULTS.has(code) || SERVER_AWAY.test(code)) return true;
  return error instanceof Error && CONNECTION_LOST.test(error.message);
}

/**
 * Runs a statement again, once, when it lost against another one in a deadlock: the winner has committed by then.
 * The statement must be a transaction of its own.
 */
export async function retryDeadlock<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (codeOf(error) !== DEADLOCK) throw error;
    return statement();
  }
}

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

/**
 * Whether Postgres refused a statement because of the data in it, so that it will refuse it again. Nothing else may ever
 * condemn data: not an outage, not a deadlock, and not a mistake of our own program.
 *
 * Source of the codes: PostgreSQL documentation, appendix "Error Codes".
 */
export function isDataFault(error: unknown): boolean {
  return DATA_REFUSED.test(codeOf(error));
}
