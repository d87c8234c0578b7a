import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ShardJournals } from '../../../../libs/redis-scripts';
import { DrawService } from '../draw/draw.service';
import { dispenserAway } from '../draw/draw.error';
import type { GrabOutcome } from './grab-outcome';

/** Milliseconds that a tap waits for the decision about others. Most take a few. */
const WAIT_MS = 500;
const SEARCH_EVERY_MS = 10;

/** Milliseconds for which a rain stays sold out without another search, as with parts. */
const STANDS_MS = 100;
const REMEMBERED_MAX = 1_000;

type Found = 'sold-out' | 'free' | 'undecided';

/** A tap draws again when a packet has come back; others may be faster each time. */
const DRAWS_MAX = 16;

/**
 * Finds out whether packets of a rain that limits the wins of a user may come back.
 *
 * Only Postgres counts wins, so a user beyond a limit draws a packet that comes back a moment later. In that
 * moment the list may be empty, and another user must not be answered "sold-out": they wait until no
 * reservation of the rain is undecided, which the journal shows, and draw again. All who wait share one
 * search, so losers cost a rain with limits ten searches per second and process.
 */
@Injectable()
export class LastPackets {
  private readonly searches = new Map<string, Promise<Found>>();
  private readonly soldOut = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: STANDS_MS });

  constructor(
    private readonly draws: DrawService,
    private readonly journals: ShardJournals,
  ) {}

  /**
   * Grabs for a user who has found nothing, whenever packets come back.
   * @throws dispenserAway, and as `grab` does
   */
  async grabAgain(activityId: string, grab: () => Promise<GrabOutcome>): Promise<GrabOutcome> {
    for (let draw = 1; draw <= DRAWS_MAX; draw++) {
      const found = await this.search(activityId);
      if (found === 'sold-out') return { kind: 'sold-out' };
      if (found === 'undecided') break;
      const outcome = await grab();
      if (outcome.kind !== 'sold-out') return outcome;
    }
    throw dispenserAway('The last packets are being given away; try again.', { retryAfterSeconds: 1 });
  }

  private async search(activityId: string): Promise<Found> {
    if (this.soldOut.has(activityId)) return 'sold-out';
    let search = this.searches.get(activityId);
    if (!search) {
      search = this.searchUntilDecided(activityId).finally(() => this.searches.delete(activityId));
      this.searches.set(activityId, search);
    }
    try {
      return await search;
    } catch (cause) {
      throw dispenserAway('Whether the last packets are taken is not decided yet; tap again.', {
        retryAfterSeconds: 1,
        cause,
      });
    }
  }

  private async searchUntilDecided(activityId: string): Promise<Found> {
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += SEARCH_EVERY_MS) {
      const found = await this.searchNow(activityId);
      if (found === 'sold-out') this.soldOut.set(activityId, true);
      if (found !== 'undecided') return found;
      await pause(SEARCH_EVERY_MS);
    }
    return 'undecided';
  }

  /** Packets that users wait for are spoken for. */
  private async searchNow(activityId: string): Promise<Found> {
    const shards = this.draws.shardsOf(activityId);
    const doubts = await Promise.all(shards.map((shard) => this.journals.doubts(activityId, shard)));
    const free = doubts.reduce((sum, { packetsLeft, waiting }) => sum + packetsLeft - waiting, 0);
    if (free > 0) return 'free';
    return doubts.some(({ isUndecided }) => isUndecided) ? 'undecided' : 'sold-out';
  }
}
