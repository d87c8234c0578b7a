import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { failpoint } from '../../../libs/failpoint';
import { type Draw, type DrawOutcome, Reservations, Standings } from '../../../libs/redis-scripts';
import { ENDINGS, Metrics, timed } from '../../platform/telemetry';

interface Tap {
  readonly activityId: string;
  readonly userId: string;
}

/** Users in one script call. More would only lengthen the time for which Redis serves nobody else. */
const USERS_PER_CALL_MAX = 256;
const CALLS_IN_FLIGHT_MAX = 64;

/**
 * Draws packets. Taps that arrive in the same turn of the event loop for the same shard share one script call: one round
 * trip, one look at the window, and one journal entry for all of them.
 */
@Injectable()
export class DrawService {
  private readonly shards: Batcher<Tap, DrawOutcome>[];
  private readonly times;

  constructor(
    private readonly reservations: Reservations,
    private readonly standings: Standings,
    metrics: Metrics,
  ) {
    this.times = metrics.timings({
      name: 'hongbao_draw_duration_seconds',
      help: 'How long one script call in Redis took, which draws for all taps of one moment and shard',
      label: 'result',
      values: ENDINGS,
    });
    this.shards = reservations.keys.shards.map(
      (shard) =>
        new Batcher<Tap, DrawOutcome>({
          run: (taps) => this.drawAll(shard, taps),
          sizeMax: USERS_PER_CALL_MAX,
          concurrencyMax: CALLS_IN_FLIGHT_MAX,
        }),
    );
  }

  draw(activityId: string, userId: string): Promise<DrawOutcome> {
    return this.shards[this.reservations.keys.shardOf(activityId)]!.submit({ activityId, userId });
  }

  /** The number of the last packet that Redis has heard of. */
  async lastLoaded(activityId: string): Promise<number> {
    return (await this.standings.of(activityId)).packetCursor;
  }

  private async drawAll(shard: number, taps: readonly Tap[]): Promise<DrawOutcome[]> {
    const { draws, positions } = byActivity(taps);
    const outcomes = await timed(this.times, () => this.reservations.draw(shard, draws));
    await failpoint('grab.after-draw');
    return positions.map((position) => outcomes[position]!);
  }
}

/** Taps grouped by their activity, and for each tap the position of its outcome. */
function byActivity(taps: readonly Tap[]): { draws: Draw[]; positions: number[] } {
  const groups = new Map<string, { userIds: string[]; taps: number[] }>();
  taps.forEach(({ activityId, userId }, tap) => {
    let group = groups.get(activityId);
    if (!group) groups.set(activityId, (group = { userIds: [], taps: [] }));
    group.userIds.push(userId);
    group.taps.push(tap);
  });

  const positions = new Array<number>(taps.length);
  let position = 0;
  for (const group of groups.values()) for (const tap of group.taps) positions[tap] = position++;
  return { draws: Array.from(groups, ([activityId, { userIds }]) => ({ activityId, userIds })), positions };
}
