import { Injectable, Logger } from '@nestjs/common';
import { Slots } from '../../../../libs/slots';
import { busy } from '../../../platform/http';
import { LargeWrites } from '../large-writes';
import { ActivityLoader } from '../../recovery';

/** Those who add to one activity wait for each other, each on a connection, and grabs are confirmed over the same pool. */
const AT_ONCE_MAX = 4;

/** Runs what adds packets to an activity, few at a time, and loads the packets after the commit. */
@Injectable()
export class PacketAdditions {
  private readonly logger = new Logger('PacketAdditions');
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly loader: ActivityLoader,
    private readonly large: LargeWrites,
  ) {}

  /**
   * As a rule the packets can be drawn when this returns; if Redis is away the sweeper loads them later.
   *
   * @param packetCount how many are added
   * @param write returns when they are committed
   * @param activityOf to which activity they were added; undefined when they were not
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
