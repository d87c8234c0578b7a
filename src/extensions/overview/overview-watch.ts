import { Injectable } from '@nestjs/common';
import { nowSeconds } from '../../platform/http';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { FiringAlerts } from './alerts/firing-alerts';
import { CorrectionWatch } from './correction-watch';
import { countedIn } from './counted';
import { RefusalCounts } from './refusal-counts';

const LOOK_EVERY_MS = 1_000;

/** Reads the metrics of this process once for everything that people who watch are shown of them. */
@Injectable()
export class OverviewWatch {
  constructor(
    private readonly metrics: Metrics,
    private readonly alerts: FiringAlerts,
    private readonly refusals: RefusalCounts,
    private readonly corrections: CorrectionWatch,
  ) {}

  @Repeats('OverviewWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async look(): Promise<void> {
    const counted = countedIn(await this.metrics.read());
    const now = nowSeconds();
    this.alerts.look(counted, now);
    this.refusals.look(counted, now * 1_000);
    // The next round begins after all have ended, so that nothing is shared twice.
    const shared = await Promise.allSettled([
      this.alerts.share(),
      this.refusals.share(),
      this.corrections.share(counted),
    ]);
    const failed = shared.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
