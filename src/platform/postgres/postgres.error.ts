import { QueryFailedError } from 'typeorm';

interface DriverError {
  readonly code?: string;
  readonly constraint?: string;
}

function driverError(error: unknown): DriverError | undefined {
  if (error instanceof QueryFailedError) return error.driverError as DriverError;
  return error instanceof Error ? (error as DriverError) : undefined;
}

/** Whether a statement failed because of the named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return driverError(error)?.constraint === constraint;
}

/**
 * SQLSTATE classes and codes that speak of the moment and not of the data, so that the same statement may well succeed
 * a little later: connection (08), transaction rollback such as deadlock (40), insufficient resources (53),
 * operator intervention such as shutdown or statement timeout (57), system error (58), lock not available.
 * Source: PostgreSQL documentation, appendix "Error Codes".
 */
const PASSING = /^(08|40|53|57|58|55P03)/;

/** Errors of this kind never condemn the data that was being written. An error that did not come from the server counts. */
export function isPassing(error: unknown): boolean {
  const code = driverError(error)?.code;
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || PASSING.test(code);
}
