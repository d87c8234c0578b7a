import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { within } from '../../../libs/deadline';
import { ActivityRepository } from '../../core/activity';

const LISTENERS_PER_QUERY_MAX = 200;

/** Connections of this process that lookups may use. */
const QUERIES_IN_FLIGHT_MAX = 1;

const LISTENERS_WAITING_MAX = 5_000;
const WAIT_MAX_MS = 3_000;

/**
 * Knows the activities of which there may be news: those that exist and are not over. Inboxes are
 * opened for these alone, so that nobody can fill Redis by listening to ids that mean nothing. All
 * questions of one moment share a query.
 */
@Injectable()
export class WatchableActivities {
  private readonly questions = new Batcher<readonly string[], ReadonlySet<string>>({
    run: async (wanted) => {
      const found = new Set(await this.activities.unfinishedAmong([...new Set(wanted.flat())]));
      return wanted.map(() => found);
    },
    sizeMax: LISTENERS_PER_QUERY_MAX,
    concurrencyMax: QUERIES_IN_FLIGHT_MAX,
  });

  constructor(private readonly activities: ActivityRepository) {}

  /** Returns those of these activities of which there may be news, and perhaps others. */
  async among(activityIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (activityIds.length === 0) return new Set();
    if (this.questions.size >= LISTENERS_WAITING_MAX) throw new Error('Too many listeners wait.');
    return within(WAIT_MAX_MS, this.questions.submit(activityIds));
  }
}
