import type { RedisClient } from '../../libs/redis-scripts';
import type { TcpProxy } from '../harness/tcp-proxy';
import type { Watch } from './redis-monitor';

/** The address of Redis for one process. */
export interface WayToRedis {
  readonly env: NodeJS.ProcessEnv;
  readonly proxy?: TcpProxy;
}

/** The Redis of a system, of any kind. */
export interface RedisSide {
  readonly monitor: Watch;
  start(): Promise<void>;
  openWay(): Promise<WayToRedis>;
  /** Connects past all proxies, as the default user. */
  connect(): RedisClient;
  /** Undoes all harm after a round. */
  restore(): Promise<void>;
  retire(): Promise<void>;
}
