import { QueryFailedError } from 'typeorm';

/**
 * Codes of the operating system. Those of Node, such as `ERR_INVALID_ARG_TYPE`, are mistakes of
 * ours, and an error about a file names its path.
 */
const SYSTEM_FAULT = /^E(?!RR_)[A-Z0-9_]+$/;

/** Messages of driver or ORM, without any code, when a connection or a time limit has ended. */
const CONNECTION_LOST = new RegExp(
  `^(${[
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error',
    'Client was closed and is not queryable',
    'Query runner already released',
    'Database connection provided by a query runner was already released',
  ].join('|')})`,
);

/**
 * SQLSTATE of a server that is away or has given up for a passing reason: connections (08, 28, 3D),
 * transactions that lost against others (40), resources (53), transaction numbers that have run out (54000),
 * a lock not granted in time and an object not ready (55), operators (57), the system beneath (58), itself
 * (XX); read-only (25006), idle or running for too long (25P03, 25P04).
 */
const SERVER_AWAY = /^(08|28|3D|40|53|55000|55006|55P03|54000|57|58|XX|25006|25P03|25P04)/;

/** SQLSTATE of values that do not fit, of constraints, and of functions that refuse a row. */
const DATA_REFUSED = /^(22|23|P0)[0-9A-Z]{3}$/;

/** SQLSTATE of a lock that another session keeps, and of a cancelled statement. */
const HELD_UP = new Set(['55P03', '57014']);

const READ_ONLY = '25006';

const NO_ANSWER = 'Query read timeout';

const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/** A connection that ended during an operation, where the driver does not report it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(cause: unknown) {
    super('The connection to Postgres was lost.', { cause });
  }
}

function codeOf(error: unknown): string {
  return fieldOf(error instanceof QueryFailedError ? error.driverError : error, 'code');
}

/** Errors need not be instances of `Error`: network errors come from outside a test's realm. */
function fieldOf(error: unknown, field: 'code' | 'message' | 'path'): string {
  const value = (error as Partial<Record<typeof field, unknown>> | null | undefined)?.[field];
  return typeof value === 'string' ? value : '';
}

/** An outage is about the moment and not the request: trying again later makes sense. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  const code = codeOf(error);
  if (SERVER_AWAY.test(code)) return true;
  if (SYSTEM_FAULT.test(code) && fieldOf(error, 'path') === '') return true;
  return CONNECTION_LOST.test(fieldOf(error, 'message'));
}

/** The connection is open and of no further use: no answer comes, or its session cannot write. */
export const isConnectionSpent = (error: unknown): boolean =>
  codeOf(error) === READ_ONLY || fieldOf(error, 'message') === NO_ANSWER;

/** The driver's own error, for a connection that is given up earlier. */
export const noAnswer = (): Error => new Error(NO_ANSWER);

/** Runs a statement, which is its own transaction, once more if it was the victim of a deadlock. */
export async function retryDeadlock<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    return statement();
  }
}

export const isDeadlock = (error: unknown): boolean => codeOf(error) === DEADLOCK;

/** Something in the statement took too long. Parts of it may succeed on their own. */
export const isHeldUp = (error: unknown): boolean => HELD_UP.has(codeOf(error));

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;

/**
 * Postgres will refuse the statement again, because of its data. Nothing else may ever condemn
 * data: not an outage, not a deadlock, and not a mistake of our own program.
 *
 * Source of the codes: PostgreSQL documentation, appendix "Error Codes".
 */
export function isDataFault(error: unknown): boolean {
  return DATA_REFUSED.test(codeOf(error));
}

/** The server is out of disk or memory, has used up its share of them, or cannot use a file. */
export const isDiskFault = (error: unknown): boolean => /^(53[0124]|58|XX)/.test(codeOf(error));
