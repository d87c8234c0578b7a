import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { failpoint } from '../../../../libs/failpoint';
import { ENDINGS, Metrics, timed } from '../../../platform/telemetry';
import { groupsOf } from './groups';

/** Users in one script call: a longer one keeps all other clients of Redis waiting longer. */
const USERS_PER_CALL_MAX = 256;
const CALLS_IN_FLIGHT_MAX = 64;

interface Tap {
  readonly userId: string;
}

/** Taps of one call that ask for the same thing. */
export interface TapGroup<T extends Tap> {
  readonly tap: T;
  readonly userIds: string[];
}

export type DrawCall<T extends Tap, R> = (shard: number, tap: T) => Promise<R>;

/**
 * Taps of one turn of the event loop at one shard share a script call: one round trip, one look at
 * the window, and one journal entry.
 */
@Injectable()
export class DrawCalls {
  private readonly times;

  constructor(metrics: Metrics) {
    this.times = metrics.timings({
      name: 'hongbao_draw_duration_seconds',
      help: 'How long one script call in Redis took, which draws for all taps of one moment and shard',
      label: 'result',
      values: ENDINGS,
    });
  }

  /** @param run draws for all groups of a call; `keyOf` says which taps belong to one group */
  shared<T extends Tap, R>(
    shards: readonly number[],
    keyOf: (tap: T) => string,
    run: (shard: number, groups: TapGroup<T>[]) => Promise<R[]>,
  ): DrawCall<T, R> {
    const batchers = shards.map(
      (shard) =>
        new Batcher<T, R>({
          run: (taps) => this.runAll(taps, keyOf, (groups) => run(shard, groups)),
          sizeMax: USERS_PER_CALL_MAX,
          concurrencyMax: CALLS_IN_FLIGHT_MAX,
        }),
    );
    return (shard, tap) => batchers[shard]!.submit(tap);
  }

  private async runAll<T extends Tap, R>(
    taps: readonly T[],
    keyOf: (tap: T) => string,
    run: (groups: TapGroup<T>[]) => Promise<R[]>,
  ): Promise<R[]> {
    const { groups, positions } = groupsOf(taps, keyOf);
    const calls = groups.map((group) => ({ tap: group[0]!, userIds: group.map(({ userId }) => userId) }));
    const answers = await timed(this.times, () => run(calls));
    await failpoint('grab.after-draw');
    return positions.map((position) => answers[position]!);
  }
}
