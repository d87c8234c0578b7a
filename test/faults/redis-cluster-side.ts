import type { RedisClient } from '../../libs/redis-scripts';
import type { ClusterNode } from '../harness/cluster-node';
import { RedisCluster } from '../harness/redis-cluster';
import { ClusterMonitor } from './cluster-monitor';
import type { RedisSide, WayToRedis } from './redis-side';

export class RedisClusterSide implements RedisSide {
  readonly monitor = new ClusterMonitor();
  private started?: RedisCluster;

  get nodes(): RedisCluster {
    return this.started!;
  }

  async start(): Promise<void> {
    this.started = await RedisCluster.start();
    await this.look();
  }

  openWay(): Promise<WayToRedis> {
    return Promise.resolve({ env: this.nodes.env });
  }

  connect(): RedisClient {
    return this.nodes.client();
  }

  restore(): Promise<void> {
    return this.nodes.isWhole();
  }

  async retire(): Promise<void> {
    this.monitor.lookAway();
    await this.started?.stop();
  }

  /** Does work that changes which nodes are masters, and waits until every slot has a master and replicas are in step. */
  async change(work: (nodes: RedisCluster) => Promise<void>): Promise<void> {
    this.monitor.lookAway();
    await work(this.nodes);
    await this.nodes.isWhole();
    await this.look();
  }

  async comeBack(node: ClusterNode): Promise<void> {
    if (!node.answers) await node.restart();
    await this.nodes.reconnect(node);
  }

  private async look(): Promise<void> {
    const masters = await this.nodes.masters();
    await this.monitor.look(masters.map(({ url }) => url));
  }
}
