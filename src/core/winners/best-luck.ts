import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { ActivityRepository, noSuchActivity } from '../activity';
import { Currencies } from '../currency';
import type { BestLuckDto } from './winners.dto';

interface LuckyClaim {
  readonly userId: string;
  readonly amountMinor: bigint;
}

const ACTIVITIES_MAX = 1_000;
const KEPT_MS = 60_000;

/** The largest packets of a rain that is over, where its sponsor shows them. */
@Injectable()
export class BestLuck {
  /** All players ask when a rain ends. An empty answer is not kept: the rain may be ending at this moment. */
  private readonly kept = new LRUCache<string, LuckyClaim[]>({
    max: ACTIVITIES_MAX,
    ttl: KEPT_MS,
    fetchMethod: async (activityId) => {
      const claims = await this.luckyClaims(activityId);
      return claims.length > 0 ? claims : undefined;
    },
  });

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly currencies: Currencies,
  ) {}

  /** @throws activityNotFound */
  async shownTo(callerId: string, activityId: string): Promise<BestLuckDto> {
    const claims = (await this.kept.fetch(activityId)) ?? [];
    if (claims.length === 0 && !(await this.activities.facts(activityId))) throw noSuchActivity(activityId);
    if (claims.length === 0) return { items: [] };
    const currency = await this.currencies.ofActivity(activityId);
    return {
      items: claims.map(({ userId, amountMinor }) => ({
        user: masked(userId),
        amount: currency.format(amountMinor),
        isMine: userId === callerId,
      })),
    };
  }

  /**
   * Returns the claims whose packets were kept when the activity ended, without those that were
   * declared void since.
   */
  private async luckyClaims(activityId: string): Promise<LuckyClaim[]> {
    const rows = await this.dataSource.query<{ userId: string; amountMinor: string }[]>(
      `select claim.user_id as "userId", claim.amount_minor as "amountMinor"
         from claim
        where claim.activity_id = $1
          and claim.packet_no = any((select best_luck from activity where id = $1)::integer[])
          and not exists (select from dead_letter where claim_id = claim.id and status = 'void')
        order by claim.amount_minor desc, claim.packet_no`,
      [activityId],
    );
    return rows.map(({ userId, amountMinor }) => ({ userId, amountMinor: BigInt(amountMinor) }));
  }
}

/** The first character of an id, and the last one of an id that has more than three. */
export function masked(userId: string): string {
  const characters = Array.from(userId);
  return `${characters[0]}***${characters.length > 3 ? characters.at(-1) : ''}`;
}
