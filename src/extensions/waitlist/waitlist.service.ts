import { Injectable } from '@nestjs/common';
import { WaitingLists, type WaitingPlace } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { type Caller, decodeCursor, encodeCursor, type Page, type PageQuery } from '../../platform/http';
import { activityLoading, ActivityRepository, noSuchActivity, WindowEnd } from '../../core/activity';
import { MissingActivities } from '../../core/grab';
import type { WaitingPlaceDto, WaitingUserDto } from './waitlist.dto';
import { type Joined, PartsWaiting } from './parts-waiting';
import { nothingToWaitFor, notWaiting, waitlistFull, waitlistUnavailable } from './waitlist.error';

const WHY_NOT: Record<'not-open' | 'closed' | 'already' | 'not-sold-out', string> = {
  'not-open': 'The activity has not opened yet.',
  closed: 'The activity is over.',
  already: 'You have a packet of this activity.',
  'not-sold-out': 'There are packets left: grab one.',
};

/** Lets users wait for a packet that becomes free. Only Redis has the list: a place is not money. */
@Injectable()
export class WaitlistService {
  constructor(
    private readonly waitingLists: WaitingLists,
    private readonly activities: ActivityRepository,
    private readonly missing: MissingActivities,
    private readonly windowEnd: WindowEnd,
    private readonly ofParts: PartsWaiting,
    private readonly config: AppConfig,
  ) {}

  /**
   * @throws activityNotFound, activityLoading, nothingToWaitFor, waitlistFull, waitlistUnavailable
   */
  async join(activityId: string, userId: string, hold = false): Promise<WaitingPlaceDto> {
    const outcome = await reached(this.tryToJoin(activityId, userId, hold));
    if (outcome.kind === 'waiting') return toDto(activityId, outcome);
    if (outcome.kind === 'not-loaded') throw await this.unknown(activityId);
    if (outcome.kind === 'full') throw waitlistFull('Too many users are already waiting.');
    if (outcome.kind === 'over') throw await this.over(activityId);
    throw nothingToWaitFor(WHY_NOT[outcome.kind]);
  }

  private async tryToJoin(activityId: string, userId: string, hold: boolean): Promise<Joined> {
    const lengthMax = this.config.WAITLIST_LENGTH_MAX;
    const outcome = await this.waitingLists.join(activityId, userId, lengthMax, 1, hold);
    if (outcome.kind !== 'parts') return outcome;
    return this.ofParts.join({ activityId, userId, hold, parts: outcome.parts }, lengthMax);
  }

  /** @throws notWaiting, waitlistUnavailable */
  async place(activityId: string, userId: string): Promise<WaitingPlaceDto> {
    const place = await reached(this.waitingLists.place(activityId, userId));
    if (!place) throw notWaiting('Join the waiting list when the activity is sold out.');
    return toDto(activityId, place);
  }

  /**
   * While packets are added, a page may overlap the one before.
   *
   * @throws waitlistUnavailable, activityNotFound also for callers who are neither its sponsor nor
   *   staff
   */
  async list(
    activityId: string,
    { limit, cursor }: PageQuery,
    caller: Caller,
  ): Promise<Page<WaitingUserDto>> {
    await this.activities.managedBy(caller, activityId);
    const from = Number(decodeCursor(cursor, isPlace) ?? 1);
    const { users } = await reached(this.waitingLists.page(activityId, from, limit + 1));
    const items = users.map((userId, i) => ({ position: from + i, userId }));
    const next = items[limit];
    return { items: items.slice(0, limit), nextCursor: next ? encodeCursor(String(next.position)) : null };
  }

  /** The clock of Redis may be ahead for a moment. */
  private async over(activityId: string): Promise<Error> {
    const isOver = await this.windowEnd.isOver(activityId).catch(() => false);
    if (isOver) return nothingToWaitFor(WHY_NOT.closed);
    return waitlistUnavailable('The activity is about to end; try again.', { retryAfterSeconds: 1 });
  }

  private async unknown(activityId: string): Promise<Error> {
    const activity = await this.activities.facts(activityId);
    if (!activity) return noSuchActivity(activityId);
    if (activity.status !== 'active') return nothingToWaitFor(WHY_NOT.closed);
    void this.missing.loadSoon(activityId);
    return activityLoading('Redis is still receiving its packets; try again.', { retryAfterSeconds: 1 });
  }
}

/** A place within the longest list that WAITLIST_LENGTH_MAX allows, or just after it. */
const isPlace = (value: string): boolean => /^[1-9]\d{0,7}$/.test(value);

function reached<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw waitlistUnavailable(
      'Redis, which holds the list, did not answer; the same request may be sent again.',
      { retryAfterSeconds: 1, cause },
    );
  });
}

const toDto = (activityId: string, { position, length }: WaitingPlace): WaitingPlaceDto => ({
  activityId,
  position,
  waiting: length,
});
