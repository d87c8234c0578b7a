import { Injectable } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { failpoint } from '../../../libs/failpoint';
import {
  type DrawOutcome,
  type PartAnswer,
  type PartDraw,
  type PartOutcome,
  Reservations,
} from '../../../libs/redis-scripts';
import { ENDINGS, Metrics, timed } from '../../platform/telemetry';
import { groupsOf } from './groups';

interface Tap {
  readonly activityId: string;
  readonly userId: string;
}

/** A tap at one part of an activity that is dealt over several. */
export interface PartTap extends Tap, Omit<PartDraw, 'userIds'> {
  readonly part: number;
}

/** What a part answers, and how many packets were left in it; undefined while nothing can be drawn. */
export type PartReply = PartOutcome & Pick<PartAnswer, 'left'>;

/** Users in one script call. More would only lengthen the time for which Redis serves nobody else. */
const USERS_PER_CALL_MAX = 256;
const CALLS_IN_FLIGHT_MAX = 64;

/**
 * Draws packets. Taps that arrive in the same turn of the event loop for the same shard share one script call: one round
 * trip, one look at the window, and one journal entry for all of them.
 */
@Injectable()
export class DrawCalls {
  private readonly shards: Batcher<Tap, DrawOutcome>[];
  private readonly partShards: Batcher<PartTap, PartReply>[];
  private readonly times;

  constructor(
    private readonly reservations: Reservations,
    metrics: Metrics,
  ) {
    this.times = metrics.timings({
      name: 'hongbao_draw_duration_seconds',
      help: 'How long one script call in Redis took, which draws for all taps of one moment and shard',
      label: 'result',
      values: ENDINGS,
    });
    const { shards } = reservations.keys;
    this.shards = shards.map((shard) => batcherOf((taps) => this.drawAll(shard, taps)));
    this.partShards = shards.map((shard) => batcherOf((taps) => this.drawFromParts(shard, taps)));
  }

  /** From an activity that is not dealt, as far as the caller knows. */
  draw(activityId: string, userId: string): Promise<DrawOutcome> {
    return this.shards[this.reservations.keys.shardOf(activityId)]!.submit({ activityId, userId });
  }

  drawFromPart(tap: PartTap): Promise<PartReply> {
    return this.partShards[this.reservations.keys.shardOf(tap.activityId, tap.part)]!.submit(tap);
  }

  private async drawAll(shard: number, taps: readonly Tap[]): Promise<DrawOutcome[]> {
    const { groups, positions } = groupsOf(taps, ({ activityId }) => activityId);
    const draws = groups.map((group) => ({ activityId: group[0]!.activityId, userIds: usersOf(group) }));
    const outcomes = await timed(this.times, () => this.reservations.draw(shard, draws));
    await failpoint('grab.after-draw');
    return positions.map((position) => outcomes[position]!);
  }

  private async drawFromParts(shard: number, taps: readonly PartTap[]): Promise<PartReply[]> {
    const { groups, positions } = groupsOf(taps, wayOf);
    const draws = groups.map((group) => ({ ...group[0]!, userIds: usersOf(group) }));
    const answers = await timed(this.times, () => this.reservations.drawFromParts(shard, draws));
    await failpoint('grab.after-draw');
    const replies = answers.flatMap(({ outcomes, left }) =>
      outcomes.map((outcome) => ({ ...outcome, left })),
    );
    return positions.map((position) => replies[position]!);
  }
}

const wayOf = ({ activityId, parts, sendTo, visits }: PartTap): string =>
  `${activityId} ${parts} ${sendTo} ${visits}`;

const usersOf = (taps: readonly Tap[]): string[] => taps.map(({ userId }) => userId);

const batcherOf = <T, R>(run: (taps: T[]) => Promise<R[]>): Batcher<T, R> =>
  new Batcher({ run, sizeMax: USERS_PER_CALL_MAX, concurrencyMax: CALLS_IN_FLIGHT_MAX });
