import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Servers } from '../../../../libs/redis-scripts';
import { eachInTurn, Repeats } from '../../../platform/schedule';
import { PayoutDecisions } from './payout-decisions';
import { PayoutRepository } from './payout.repository';

const AT_ONCE = 100;

/**
 * Refuses payouts that nobody approved in time. This is final, so the time must be over by the clocks of both
 * Postgres and Redis.
 */
@Injectable()
export class ReviewSweep {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly decisions: PayoutDecisions,
    private readonly servers: Servers,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Repeats('ReviewSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    const redisSeconds = await this.servers.earliestSeconds();
    await eachInTurn(await this.payouts.reviewExpired(redisSeconds, AT_ONCE), stopping, (id) =>
      this.dataSource.transaction((tx) => this.decisions.reject(tx, id, 'review-expired')),
    );
  }
}
