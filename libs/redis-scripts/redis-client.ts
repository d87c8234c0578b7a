import { Cluster, type Redis } from 'ioredis';

/** A connection to Redis: to one server, to the master that Sentinels name, or to a cluster. */
export type RedisClient = Redis | Cluster;

export const isCluster = (redis: RedisClient): redis is Cluster => redis instanceof Cluster;
