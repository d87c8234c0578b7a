import type { EntityManager } from 'typeorm';

/** A transaction, or the pool, which takes a connection for each statement. */
export type Queries = Pick<EntityManager, 'query'>;
