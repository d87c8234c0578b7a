import { Logger } from '@nestjs/common';
import { isCluster, type RedisClient } from '../../../libs/redis-scripts';

const RETRY_MS = 500;

/**
 * Receives what is published in a channel, over its own connection, except while that is lost.
 *
 * In a cluster the channel has a slot, like a key, and only the nodes of that slot are involved. A cluster
 * without such channels sends every message to every node, so any node will do.
 */
export class Subscription {
  private readonly logger = new Logger('Subscription');
  private readonly connection: RedisClient;

  constructor(
    redis: RedisClient,
    private readonly channel: string,
    hear: (message: string) => void,
  ) {
    this.connection = isCluster(redis)
      ? redis.duplicate([], { shardedSubscribers: true, enableOfflineQueue: true })
      : // By itself it would subscribe again in a promise that nobody holds: one time-out would end the process.
        redis.duplicate({ autoResubscribe: false });
    this.connection.on('error', (error: Error) => this.logger.warn(error.message || error.name));
    this.connection.on('ready', () => void this.subscribe());
    for (const event of ['message', 'smessage'])
      this.connection.on(event, (_channel: string, message: string) => hear(message));
  }

  end(): void {
    this.connection.disconnect();
  }

  private async subscribe(): Promise<void> {
    try {
      await this.listen();
    } catch (error) {
      this.logger.warn(`Cannot subscribe to ${this.channel}: ${String(error)}`);
      setTimeout(() => this.subscribeAgain(), RETRY_MS).unref();
    }
  }

  /** A cluster does not report when one of its masters is back. */
  private subscribeAgain(): void {
    if (this.connection.status === 'ready') void this.subscribe();
  }

  private async listen(): Promise<void> {
    const { connection, channel } = this;
    if (!isCluster(connection)) await connection.subscribe(channel);
    else
      await connection.ssubscribe(channel).catch((error: Error) => {
        if (!error.message.includes('unknown command')) throw error;
        return connection.subscribe(channel);
      });
  }
}
