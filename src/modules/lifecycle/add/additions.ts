import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Slots } from '../../../../libs/slots';
import { Currency } from '../../../platform/config';
import { busy, type Caller } from '../../../platform/http';
import type { Activity } from '../../activity';
import { AuditLog } from '../../audit';
import { ActivityLoader } from '../load/activity-loader';

/** Those who add to one activity wait for each other, each on a connection, and grabs are confirmed over the same pool. */
const AT_ONCE_MAX = 4;

/** What was added. */
export interface Addition {
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly packetCount: number;
  readonly replacesClaimId?: string;
}

/** Whatever adds packets to an activity: few at a time, on record, and loaded as soon as they are written. */
@Injectable()
export class Additions {
  private readonly logger = new Logger('Additions');
  private readonly slots = new Slots(AT_ONCE_MAX);

  constructor(
    private readonly loader: ActivityLoader,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  /**
   * As a rule the packets can be drawn when this returns; if Redis is away the sweeper loads them later.
   *
   * @param write returns when what is added is committed
   * @throws busy
   */
  run<T extends { readonly activityId: string }>(write: () => Promise<T>): Promise<T> {
    return this.slots.run(
      async () => {
        const added = await write();
        await this.load(added.activityId);
        return added;
      },
      () => busy('Other packets are being added; try again in a moment.', { retryAfterSeconds: 1 }),
    );
  }

  /** @param activity as it was before */
  async record(
    tx: EntityManager,
    actor: Caller,
    { id, totalMinor, packetCount }: Activity,
    { amountMinor, packetCount: count, ...detail }: Addition,
  ): Promise<void> {
    const size = (minor: bigint, packets: number) => ({
      totalAmount: this.currency.format(minor),
      packetCount: packets,
    });
    await this.audit.record(tx, actor, {
      action: 'activity.top-up',
      id,
      before: size(totalMinor, packetCount),
      after: size(totalMinor + amountMinor, packetCount + count),
      detail,
    });
  }

  private async load(activityId: string): Promise<void> {
    await this.loader
      .extend(activityId)
      .catch((error: unknown) =>
        this.logger.warn(`What was added to ${activityId} is left to the sweeper: ${String(error)}`),
      );
  }
}
