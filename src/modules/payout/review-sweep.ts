import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Repeats } from '../../platform/schedule';
import { PayoutReviews } from './payout-reviews';
import { PayoutRepository } from './payout.repository';

const AT_ONCE = 100;

@Injectable()
export class ReviewSweep {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly reviews: PayoutReviews,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Repeats('ReviewSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    for (const id of await this.payouts.reviewExpired(AT_ONCE)) {
      if (stopping.aborted) return;
      await this.dataSource.transaction((tx) => this.reviews.reject(tx, id, 'review-expired'));
    }
  }
}
