import { Injectable } from '@nestjs/common';
import { RainContents, type Standing, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository } from '../../activity';

/** Ended activities of one look at Redis. */
const LOOKED_AT_ONCE = 1_000;

/** An activity, and the shard in which it is. */
export interface Held {
  readonly id: string;
  readonly shard: number;
}

/** Which activities Redis should hold, or may hold. */
@Injectable()
export class RedisInventory {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
  ) {}

  /** Those of some shards, the running ones first. With all that Redis knows when Postgres may have lost some of them. */
  async list(shards: readonly number[], isSameHistory: boolean): Promise<Held[]> {
    const wanted = new Set(shards);
    const isThere = (id: string) => wanted.has(this.standings.keys.shardOf(id));
    const running = (await this.activities.allActive()).filter(isThere);
    const ended = await this.heldAmong((await this.activities.allEndedInRedis()).filter(isThere));
    const ids = new Set([...running, ...ended]);
    if (!isSameHistory)
      for await (const known of this.contents.activities(shards)) known.forEach((id) => ids.add(id));
    return Array.from(ids, (id) => ({ id, shard: this.standings.keys.shardOf(id) }));
  }

  /** With those that cannot be read: telling finds out what is wrong with them. */
  private async heldAmong(ended: readonly string[]): Promise<string[]> {
    const held: string[] = [];
    for (let start = 0; start < ended.length; start += LOOKED_AT_ONCE) {
      const ids = ended.slice(start, start + LOOKED_AT_ONCE);
      const standings = await this.standings.ofAll(ids);
      held.push(...ids.filter((_, i) => isHeld(standings[i])));
    }
    return held;
  }
}

const isHeld = (standing: Standing | undefined): boolean =>
  standing === undefined || standing.status !== undefined || standing.packetsLeft > 0;
