import {
  LatestCalls,
  OwnRedis,
  RainClosing,
  RainContents,
  RainLoading,
  Reservations,
  Servers,
  ShardJournals,
  ShardTrust,
  type Standing,
  Standings,
  WaitingLists,
} from '../../libs/redis-scripts';
import type { Replacement } from './graph';

export class DispenserParts {
  readonly keys = this.own.keys;
  readonly journals = new ShardJournals(this.own);
  readonly loading = new RainLoading(this.own);
  readonly closing = new RainClosing(this.own);
  readonly contents = new RainContents(this.own);
  readonly waitingLists = new WaitingLists(this.own);
  readonly standings = new Standings(this.own);

  constructor(
    readonly own: OwnRedis,
    readonly reservations = new Reservations(own),
    readonly shardTrust = new ShardTrust(own),
  ) {}

  /** Parts that a graph of services uses instead of its own. */
  get replacements(): Replacement[] {
    return [
      [OwnRedis, this.own],
      [Servers, this.own.servers],
      [LatestCalls, new LatestCalls(this.own)],
      [Reservations, this.reservations],
      [ShardJournals, this.journals],
      [RainLoading, this.loading],
      [RainClosing, this.closing],
      [RainContents, this.contents],
      [WaitingLists, this.waitingLists],
      [Standings, this.standings],
      [ShardTrust, this.shardTrust],
    ];
  }

  async nowMs(): Promise<number> {
    return (await this.own.servers.factsOfAll())[0]!.nowMs;
  }

  /** Returns a standing without the clock, which moves. */
  async standingOf(activityId: string): Promise<Omit<Standing, 'nowMs'>> {
    const { nowMs: _, ...standing } = await this.standings.readStanding(this.keys.placeOf(activityId));
    return standing;
  }

  /** Makes all shards incomplete, as after a restart: deletes their notes that they received everything. */
  async distrust(): Promise<void> {
    for (const shard of this.keys.shards) await this.own.redis.hdel(this.keys.trust(shard), 'server');
  }
}
