import { Injectable } from '@nestjs/common';
import { Dispenser, type JoinOutcome, type WaitingPlace } from '../../../libs/redis-scripts';
import { activityLoading, activityNotFound, ClaimRepository } from '../grab';
import type { WaitingPlaceDto } from './waitlist.dto';
import { nothingToWaitFor, notWaiting, waitlistUnavailable } from './waitlist.error';

const WHY_NOT: Record<'not-open' | 'closed' | 'already' | 'not-sold-out', string> = {
  'not-open': 'The activity has not opened yet.',
  closed: 'The activity is over.',
  already: 'You have a packet of this activity.',
  'not-sold-out': 'There are packets left: grab one.',
};

/** Waiting for a packet that becomes free. Who waits stands in Redis alone: it is a place in a line, and no money. */
@Injectable()
export class WaitlistService {
  constructor(
    private readonly dispenser: Dispenser,
    private readonly claims: ClaimRepository,
  ) {}

  /** @throws activityNotFound, activityLoading, nothingToWaitFor, waitlistUnavailable */
  async join(activityId: string, userId: string): Promise<WaitingPlaceDto> {
    const outcome = await reached(this.dispenser.joinWaitlist(activityId, userId));
    if (outcome.kind === 'waiting') return toDto(activityId, outcome);
    if (outcome.kind === 'not-loaded') throw await this.unknown(activityId);
    throw nothingToWaitFor(WHY_NOT[outcome.kind]);
  }

  /** @throws notWaiting, waitlistUnavailable */
  async place(activityId: string, userId: string): Promise<WaitingPlaceDto> {
    const place = await reached(this.dispenser.waitingPlace(activityId, userId));
    if (!place) throw notWaiting('Join the waiting list when the activity is sold out.');
    return toDto(activityId, place);
  }

  private async unknown(activityId: string): Promise<Error> {
    const activity = await this.claims.findActivity(activityId);
    if (!activity) return activityNotFound(`There is no activity ${activityId}.`);
    if (activity.status !== 'active') return nothingToWaitFor(WHY_NOT.closed);
    return activityLoading('Try again in a moment.', { retryAfterSeconds: 1 });
  }
}

function reached<T extends JoinOutcome | WaitingPlace | undefined>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw waitlistUnavailable('Try again in a moment.', { retryAfterSeconds: 1, cause });
  });
}

const toDto = (activityId: string, { position, length }: WaitingPlace): WaitingPlaceDto => ({
  activityId,
  position,
  waiting: length,
});
