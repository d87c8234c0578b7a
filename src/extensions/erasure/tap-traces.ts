import type { DataSource } from 'typeorm';
import {
  type Dealt,
  ForeignRedis,
  OwnRedis,
  type RedisClient,
  Reservations,
  WaitingLists,
} from '../../../libs/redis-scripts';
import type { AppConfig } from '../../platform/config';
import { agreeOnSetting, installationId } from '../../platform/postgres';
import { RedisConnections } from '../../platform/redis';

/**
 * What Redis keeps, as long as a rain is open, of users who have won nothing there: their places on waiting lists, and
 * the notes that lead their taps through the parts of a rain.
 *
 * A tap without notes starts over, so notes may be removed at any moment unless the user holds a packet there: notes
 * lead to it, and without them its holder would be answered "sold-out". If a packet is drawn between the check and the
 * removal, another tap may draw a second one, and Postgres confirms one of them, as it lets no user win twice.
 */
export class TapTraces {
  private readonly waitingLists: WaitingLists;
  private readonly reservations: Reservations;

  constructor(
    private readonly dataSource: DataSource,
    own: OwnRedis,
  ) {
    this.waitingLists = new WaitingLists(own);
    this.reservations = new Reservations(own);
  }

  /** @throws if a shard of Redis does not answer, or takes no writes */
  async forget(userId: string): Promise<void> {
    const { keys } = this.waitingLists;
    for (const shard of keys.shards)
      for (const activityId of await this.waitingLists.activities(shard))
        await this.waitingLists.leave(activityId, [userId]);
    for (const activity of await this.dealt()) {
      const places = keys.placesOf(activity);
      if (await this.waitingLists.holds(places, userId)) continue;
      for (const place of places)
        await this.reservations.noteSentOn(place, { userId, part: place.part }, 'none');
    }
  }

  /** Only rains that are dealt over parts have notes. */
  private dealt(): Promise<Dealt[]> {
    return this.dataSource.query(
      `select id, parts from activity where parts > 1 and forgotten_at is null order by id`,
    );
  }
}

/** Connects to Redis when the first person is forgotten: on most nights nobody is. */
export class TapTracesAtFirstUse implements Pick<TapTraces, 'forget'> {
  private redis?: RedisClient;
  private traces?: TapTraces;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** @throws Error with one line if Redis cannot be used */
  async forget(userId: string): Promise<void> {
    this.traces ??= await this.open();
    await this.traces.forget(userId);
  }

  close(): void {
    this.redis?.disconnect();
  }

  private async open(): Promise<TapTraces> {
    const { dataSource, config } = this;
    await agreeOnSetting(dataSource, 'SHARD_COUNT', String(config.SHARD_COUNT));
    this.redis ??= await new RedisConnections(config).serving();
    const own = new OwnRedis(this.redis, config.SHARD_COUNT);
    own.identify(await installationId(dataSource));
    if (await own.belongsToOthers()) throw new ForeignRedis();
    return new TapTraces(dataSource, own);
  }
}
