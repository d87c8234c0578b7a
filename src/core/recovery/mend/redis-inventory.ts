import { Injectable } from '@nestjs/common';
import {
  type Dealt,
  type Place,
  RainContents,
  type Standing,
  Standings,
} from '../../../../libs/redis-scripts';
import { LoadingRepository } from '../record/loading.repository';

const LOOKED_AT_ONCE = 1_000;

/** The places of activities that Redis should hold, or may hold. */
@Injectable()
export class RedisInventory {
  constructor(
    private readonly toLoad: LoadingRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
  ) {}

  /**
   * The places of some shards, the running ones first; all that Redis knows if Postgres may have
   * lost some.
   */
  async list(shards: readonly number[], isSameHistory: boolean): Promise<Place[]> {
    const { keys } = this.standings;
    const wanted = new Set(shards);
    const inThem = (activities: readonly Dealt[]) =>
      activities.flatMap((activity) => keys.placesOf(activity)).filter(({ shard }) => wanted.has(shard));
    const running = inThem(await this.toLoad.allActive());
    const ended = await this.heldAmong(inThem(await this.toLoad.allEndedInRedis()));
    const places = new Map([...running, ...ended].map((place) => [keyOf(place), place]));
    if (!isSameHistory)
      for await (const known of this.contents.places(shards))
        for (const place of known) places.set(keyOf(place), place);
    return [...places.values()];
  }

  /** Includes places that cannot be read: the reminder finds out what is wrong with them. */
  private async heldAmong(ended: readonly Place[]): Promise<Place[]> {
    const held: Place[] = [];
    for (let start = 0; start < ended.length; start += LOOKED_AT_ONCE) {
      const places = ended.slice(start, start + LOOKED_AT_ONCE);
      const standings = await this.standings.at(places);
      held.push(...places.filter((_, i) => isHeld(standings[i])));
    }
    return held;
  }
}

const keyOf = ({ id, shard }: Place): string => `${shard}/${id}`;

const isHeld = (standing: Standing | undefined): boolean =>
  standing === undefined || standing.status !== undefined || standing.packetsLeft > 0;
