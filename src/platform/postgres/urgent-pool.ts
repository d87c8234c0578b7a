import { getDataSourceToken, InjectDataSource } from '@nestjs/typeorm';

export const URGENT = 'urgent';

/** The name by which modules ask for the pool. */
export const URGENT_POOL = getDataSourceToken(URGENT);

/**
 * Injects the pool of statements that a crowd waits for. Each is short and a transaction of its
 * own, so nothing can hold these connections for long. All other statements use the other pool.
 */
export const InjectUrgentPool = (): ReturnType<typeof InjectDataSource> => InjectDataSource(URGENT);

/** Two commits, one of activities that are locked, and a lookup. */
const URGENT_MAX = 4;

/** The share of the connections of a process: their sum stays what the operator allows. */
export const urgentConnections = (max: number): number => Math.min(URGENT_MAX, Math.floor(max / 2));
