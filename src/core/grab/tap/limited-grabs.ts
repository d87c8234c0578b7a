import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ShardJournals } from '../../../../libs/redis-scripts';
import { DrawService } from '../draw/draw.service';
import { dispenserAway } from '../grab.error';
import type { GrabOutcome } from './grab-outcome';
import { GrabService } from './grab.service';
import type { Admitted } from '../admission/admission-rules';

/** Milliseconds that a tap waits for the decision about others. Most take a few. */
const WAIT_MS = 500;
const LOOK_EVERY_MS = 10;

/** Milliseconds for which a rain stays sold out without another look, as with parts. */
const STANDS_MS = 100;
const REMEMBERED_MAX = 1_000;

type Found = 'sold-out' | 'free' | 'undecided';

/** A tap draws again when a packet has come back; others may be faster each time. */
const DRAWS_MAX = 16;

/**
 * Grabs, also at rains that limit the wins of a user.
 *
 * Only Postgres counts wins, so a user beyond a limit draws a packet that comes back a moment later.
 * In that moment the list may be empty, and another user must not be told "sold-out": they wait
 * until no reservation of the rain is undecided, and draw again. The journal shows that. All who wait
 * share one look, so losers cost a rain with limits ten looks a second and process.
 */
@Injectable()
export class LimitedGrabs {
  private readonly looks = new Map<string, Promise<Found>>();
  private readonly soldOut = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: STANDS_MS });

  constructor(
    private readonly grabs: GrabService,
    private readonly draws: DrawService,
    private readonly journals: ShardJournals,
  ) {}

  /** @throws as {@link GrabService.grab} */
  async grab(activityId: string, userId: string, admitted: Admitted): Promise<GrabOutcome> {
    for (let draw = 1; draw <= DRAWS_MAX; draw++) {
      const outcome = await this.grabs.grab(activityId, userId, admitted);
      if (!admitted.mayLimit || outcome.kind !== 'sold-out') return outcome;
      const found = await this.look(activityId);
      if (found === 'sold-out') return outcome;
      if (found === 'undecided') break;
    }
    throw dispenserAway('The last packets are being given away; try again.', { retryAfterSeconds: 1 });
  }

  private async look(activityId: string): Promise<Found> {
    if (this.soldOut.has(activityId)) return 'sold-out';
    let look = this.looks.get(activityId);
    if (!look) {
      look = this.untilDecided(activityId).finally(() => this.looks.delete(activityId));
      this.looks.set(activityId, look);
    }
    try {
      return await look;
    } catch (cause) {
      throw dispenserAway('Try again in a moment.', { retryAfterSeconds: 1, cause });
    }
  }

  private async untilDecided(activityId: string): Promise<Found> {
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_EVERY_MS) {
      const found = await this.foundAt(activityId);
      if (found === 'sold-out') this.soldOut.set(activityId, true);
      if (found !== 'undecided') return found;
      await pause(LOOK_EVERY_MS);
    }
    return 'undecided';
  }

  /** Packets that users wait for are spoken for. */
  private async foundAt(activityId: string): Promise<Found> {
    const shards = this.draws.shardsOf(activityId);
    const doubts = await Promise.all(shards.map((shard) => this.journals.doubts(activityId, shard)));
    const free = doubts.reduce((sum, { packetsLeft, waiting }) => sum + packetsLeft - waiting, 0);
    if (free > 0) return 'free';
    return doubts.some(({ isUndecided }) => isUndecided) ? 'undecided' : 'sold-out';
  }
}
