import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Currency } from '../../platform/config';
import { ActivityRepository, noSuchActivity } from '../activity';
import type { BestLuckDto } from './best-luck.dto';
import { BestLuckRepository, type Luck } from './best-luck.repository';

const ACTIVITIES_MAX = 1_000;
const KEPT_MS = 60_000;

/** The largest packets of a rain that is over, where its sponsor shows them. */
@Injectable()
export class BestLuckService {
  /** All players ask when a rain ends. An empty answer is not kept: the rain may end just now. */
  private readonly kept = new LRUCache<string, Luck[]>({
    max: ACTIVITIES_MAX,
    ttl: KEPT_MS,
    fetchMethod: async (activityId) => {
      const lucks = await this.lucks.kept(activityId);
      return lucks.length > 0 ? lucks : undefined;
    },
  });

  constructor(
    private readonly lucks: BestLuckRepository,
    private readonly activities: ActivityRepository,
    private readonly currency: Currency,
  ) {}

  /** @throws activityNotFound */
  async of(activityId: string, callerId: string): Promise<BestLuckDto> {
    const lucks = (await this.kept.fetch(activityId)) ?? [];
    if (lucks.length === 0 && !(await this.activities.facts(activityId))) throw noSuchActivity(activityId);
    return {
      items: lucks.map(({ userId, amountMinor }) => ({
        user: masked(userId),
        amount: this.currency.format(amountMinor),
        isMine: userId === callerId,
      })),
    };
  }
}

/** The first character of an id, and the last one of an id that has more than three. */
export function masked(userId: string): string {
  const characters = Array.from(userId);
  return `${characters[0]}***${characters.length > 3 ? characters.at(-1) : ''}`;
}
