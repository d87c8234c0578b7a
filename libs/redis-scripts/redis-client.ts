import { Cluster, type Redis } from 'ioredis';

/** Redis as all code uses it: one server, the master that Sentinels name, or a cluster. */
export type RedisClient = Redis | Cluster;

export const isCluster = (redis: RedisClient): redis is Cluster => redis instanceof Cluster;
