import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { within } from '../../../libs/deadline';
import { type Seen, type Sight, type Viewer, Visibility } from '../../core/activity';

const SIGHTS_PER_QUERY_MAX = 500;

/** Connections of this process that lookups may use. */
const QUERIES_IN_FLIGHT_MAX = 1;

const SIGHTS_WAITING_MAX = 10_000;
const WAIT_MAX_MS = 3_000;

interface Wish extends Viewer {
  readonly activityIds: readonly string[];
}

/**
 * Finds the activities that a listener may receive news of: those that exist for them. Inboxes are opened for
 * those of them that are not over, so that nobody can fill Redis by listening to ids that mean nothing. All
 * questions of one moment share a query.
 */
@Injectable()
export class WatchableActivities {
  private readonly sights = new Batcher<Sight, Seen | undefined>({
    run: (sights) => this.visibility.seenBy(sights),
    sizeMax: SIGHTS_PER_QUERY_MAX,
    concurrencyMax: QUERIES_IN_FLIGHT_MAX,
  });

  constructor(private readonly visibility: Visibility) {}

  /** @throws Problem if this listener has made too many attempts at keys that can be guessed */
  async among({ activityIds, caller, keys }: Wish): Promise<Seen[]> {
    if (activityIds.length === 0) return [];
    if (this.sights.size >= SIGHTS_WAITING_MAX) throw new Error('Too many listeners wait.');
    const attempt = this.visibility.beginAttempt(caller.userId, keys);
    await attempt?.admission;
    const asked = activityIds.map((activityId) => this.sights.submit({ caller, keys, activityId }));
    const found = await within(WAIT_MAX_MS, Promise.all(asked)).catch((error: unknown) => {
      // Nothing was answered, so nothing was guessed.
      attempt?.succeed();
      throw error;
    });
    const seen = found.filter((one) => one !== undefined);
    if (seen.length === activityIds.length) attempt?.succeed();
    else await attempt?.fail();
    return seen;
  }
}
