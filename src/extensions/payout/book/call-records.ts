import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CallMoment, NewCall } from './entries';
import { PayoutChanges } from './payout-changes';
import type { PayoutRow } from './payout.entity';
import { StateRepository } from './state.repository';

/** What calls do to the state of their payouts. They move no money. */
@Injectable()
export class CallRecords {
  constructor(
    private readonly states: StateRepository,
    private readonly changes: PayoutChanges,
  ) {}

  /**
   * Records calls before they are made, for as long as they may take.
   * @param calls for payouts that this transaction has locked
   * @returns the number and the moment of each payout's call
   */
  record(
    tx: EntityManager,
    calls: readonly NewCall[],
    leaseSeconds: number,
  ): Promise<Map<string, CallMoment>> {
    return this.states.recordCalls(tx, calls, leaseSeconds);
  }

  /** The channel has certainly not taken the payment, which is sent again as if for the first time. */
  async forget(tx: EntityManager, payout: PayoutRow, detail: object): Promise<void> {
    await this.changes.change(tx, payout, { state: 'reserved' }, detail);
  }

  /** It is unknown whether the channel has accepted the payment, so the channel is asked. */
  async leaveUnknown(tx: EntityManager, payout: PayoutRow, detail: object): Promise<void> {
    await this.changes.change(tx, payout, { state: 'unknown' }, detail);
  }
}
