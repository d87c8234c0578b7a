import { Injectable, Logger } from '@nestjs/common';
import { failpoint } from '../../../../libs/failpoint';
import type { Dealt } from '../../../../libs/redis-scripts';
import { Slots } from '../../../../libs/slots';
import { busy, type Caller, unavailable } from '../../../platform/http';
import { LargeWrites } from '../large-writes';
import { ActivityLoader } from '../../recovery';

/** Additions to one activity wait for each other, each on a connection that confirms grabs. */
const AT_ONCE_MAX = 4;

@Injectable()
export class PacketAdditions {
  private readonly logger = new Logger('PacketAdditions');
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly loader: ActivityLoader,
    private readonly large: LargeWrites,
  ) {}

  /**
   * Adds packets, few at a time, and loads them after the commit. Resolves when they can usually be
   * drawn; if Redis is down, the sweeper loads them later.
   *
   * @param packetCount the number of packets that are added
   * @param write resolves when they are committed
   * @param activityOf the activity that they were added to; undefined if they were not added
   * @throws busy
   */
  run<T>(
    caller: Caller,
    packetCount: number,
    write: () => Promise<T>,
    activityOf: (written: T) => string | undefined,
  ): Promise<T> {
    return this.large.admit(caller, packetCount, () =>
      this.slots.run(
        caller.role,
        async () => {
          const written = await write();
          await failpoint('top-up.after-commit');
          const activityId = activityOf(written);
          if (activityId !== undefined) await this.load(activityId);
          return written;
        },
        () => busy('Other packets are being added; try again in a moment.', { retryAfterSeconds: 1 }),
      ),
    );
  }

  /**
   * Announces packets in Redis, in the transaction that adds them, shortly before its commit.
   *
   * @param packetCount the number of packets that the activity will have
   * @throws unavailable while Redis cannot be updated: it would answer "sold out" after the commit
   */
  async announce(activity: Dealt, packetCount: number): Promise<void> {
    await this.loader.announce(activity, packetCount).catch((cause: unknown) => {
      throw unavailable('Nothing was added; try again in a moment.', { retryAfterSeconds: 1, cause });
    });
    await failpoint('top-up.before-commit');
  }

  private async load(activityId: string): Promise<void> {
    await this.loader
      .extend(activityId)
      .catch((error: unknown) =>
        this.logger.warn(`What was added to ${activityId} is left to the sweeper: ${String(error)}`),
      );
  }
}
