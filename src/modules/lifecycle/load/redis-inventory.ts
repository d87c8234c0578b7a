import { Injectable } from '@nestjs/common';
import { RainContents, type Standing, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository } from '../../activity';

/** Ended activities of one look at Redis. */
const LOOKED_AT_ONCE = 1_000;

/** Which activities Redis should hold, or may hold. */
@Injectable()
export class RedisInventory {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly contents: RainContents,
    private readonly standings: Standings,
  ) {}

  /** Their ids, the running ones first. With all that Redis knows when Postgres may have lost some of them. */
  async list(isSameHistory: boolean): Promise<string[]> {
    const running = await this.activities.allActive();
    const ended = await this.heldAmong(await this.activities.allEndedInRedis());
    const ids = new Set([...running, ...ended]);
    if (!isSameHistory)
      for await (const known of this.contents.activities()) known.forEach((id) => ids.add(id));
    return [...ids];
  }

  /** All of a page in which something cannot be read: telling finds out which one it is. */
  private async heldAmong(ended: readonly string[]): Promise<string[]> {
    const held: string[] = [];
    for (let start = 0; start < ended.length; start += LOOKED_AT_ONCE) {
      const ids = ended.slice(start, start + LOOKED_AT_ONCE);
      const standings = await this.standings.ofAll(ids).catch(() => undefined);
      held.push(...ids.filter((_, i) => standings === undefined || isHeld(standings[i]!)));
    }
    return held;
  }
}

const isHeld = ({ status, packetsLeft }: Pick<Standing, 'status' | 'packetsLeft'>): boolean =>
  status !== undefined || packetsLeft > 0;
