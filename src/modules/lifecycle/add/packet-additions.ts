import { Injectable, Logger } from '@nestjs/common';
import { Slots } from '../../../../libs/slots';
import { busy } from '../../../platform/http';
import { LargeWrites } from '../large-writes';
import { ActivityLoader } from '../../recovery';

/**
 * Additions to one activity wait for each other, each on a connection of the pool that confirms
 * grabs.
 */
const AT_ONCE_MAX = 4;

/**
 * Runs additions of packets to an activity, few at a time, and loads the packets after the commit.
 */
@Injectable()
export class PacketAdditions {
  private readonly logger = new Logger('PacketAdditions');
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly loader: ActivityLoader,
    private readonly large: LargeWrites,
  ) {}

  /**
   * Resolves when the packets can usually be drawn; if Redis is down, the sweeper loads them
   * later.
   *
   * @param packetCount the number of packets that are added
   * @param write resolves when they are committed
   * @param activityOf the activity that they were added to; undefined if they were not added
   * @throws busy
   */
  run<T>(
    packetCount: number,
    write: () => Promise<T>,
    activityOf: (written: T) => string | undefined,
  ): Promise<T> {
    return this.large.admit(packetCount, () =>
      this.slots.run(
        async () => {
          const written = await write();
          const activityId = activityOf(written);
          if (activityId !== undefined) await this.load(activityId);
          return written;
        },
        () => busy('Other packets are being added; try again in a moment.', { retryAfterSeconds: 1 }),
      ),
    );
  }

  private async load(activityId: string): Promise<void> {
    await this.loader
      .extend(activityId)
      .catch((error: unknown) =>
        this.logger.warn(`What was added to ${activityId} is left to the sweeper: ${String(error)}`),
      );
  }
}
