import type { RedisClient } from '../../libs/redis-scripts';
import type { TcpProxy } from '../harness/tcp-proxy';
import type { Watch } from './redis-monitor';

/** How one process reaches Redis. */
export interface WayToRedis {
  readonly env: NodeJS.ProcessEnv;
  /** None to a cluster, whose nodes tell their clients where they are. */
  readonly proxy?: TcpProxy;
}

/** The Redis of a system, whatever it is. */
export interface RedisSide {
  readonly monitor: Watch;
  start(): Promise<void>;
  openWay(): Promise<WayToRedis>;
  /** Past all proxies, as the default user. */
  connect(): RedisClient;
  /** After a round: as if nothing had been done to it. */
  restore(): Promise<void>;
  /** For good. */
  retire(): Promise<void>;
}
