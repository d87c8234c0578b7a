import type { EntityManager } from 'typeorm';

/**
 * The object that runs statements: a transaction, or the pool, which takes a connection for each
 * statement.
 */
export type Queries = Pick<EntityManager, 'query'>;
