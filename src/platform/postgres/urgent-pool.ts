import { getDataSourceToken, InjectDataSource } from '@nestjs/typeorm';

export const URGENT = 'urgent';

export const URGENT_POOL = getDataSourceToken(URGENT);

/**
 * Injects the pool for statements that a crowd waits for. Each is short and a transaction of its own, so
 * nothing can hold these connections for long. They stay open, because opening one takes as long as many
 * commits.
 */
export const InjectUrgentPool = (): ReturnType<typeof InjectDataSource> => InjectDataSource(URGENT);

/** Two commits, one more for held-up activities, and one lookup. */
const URGENT_MAX = 4;

/** A share of the connections: the total stays what the operator allows. */
export const urgentConnections = (max: number): number => Math.min(URGENT_MAX, Math.floor(max / 2));
