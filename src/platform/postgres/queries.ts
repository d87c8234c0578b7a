import type { EntityManager } from 'typeorm';

/** What runs statements: a transaction, or the pool with a connection for each of them. */
export type Queries = Pick<EntityManager, 'query'>;
