import type { RedisClient } from '../../libs/redis-scripts';
import type { TcpProxy } from '../harness/tcp-proxy';
import type { Watch } from './redis-monitor';

export interface WayToRedis {
  readonly env: NodeJS.ProcessEnv;
  readonly proxy?: TcpProxy;
}

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
