import { Injectable } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { SeriesRepository } from './series.repository';

const LOOK_EVERY_MS = 60_000;

/** An occurrence that nobody decides raises no other alert: it is neither created nor missed. */
@Injectable()
export class SeriesWatch {
  private readonly overdue;

  constructor(
    private readonly rows: SeriesRepository,
    metrics: Metrics,
  ) {
    this.overdue = metrics.gauge({
      name: 'hongbao_series_overdue_seconds',
      help: 'How long the series that is overdue the longest waits for a look, or has an undecided occurrence that is over; 0 without one',
    });
  }

  @Repeats('SeriesWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async measure(): Promise<void> {
    this.overdue.set(await this.rows.overdueSeconds());
  }
}
