import { Module } from '@nestjs/common';
import { AlertBoard, CorrectionLog, RecentRefusals, type RedisClient } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { ActivityModule } from '../../core/activity';
import { DispenserModule, RedisMemoryModule } from '../../core/dispenser';
import { GrabApiModule } from '../../core/grab';
import { SecondPersonModule } from '../../core/second-person';
import { WalletModule } from '../../core/wallet';
import { ClaimLogApiModule } from '../claim-log';
import { PayoutModule } from '../payout';
import { WebhookModule } from '../webhook';
import { FiringAlerts } from './alerts/firing-alerts';
import { RunbookController } from './alerts/runbook.controller';
import { CorrectionWatch } from './correction-watch';
import { OverviewController } from './overview.controller';
import { OverviewRepository } from './overview.repository';
import { OverviewService } from './overview.service';
import { OverviewWatch } from './overview-watch';
import { RainsNowRepository } from './rains-now.repository';
import { RainsNowService } from './rains-now.service';
import { ProgressController } from './progress.controller';
import { ProgressService } from './progress.service';
import { RefusalCounts } from './refusal-counts';
import { SystemFigures } from './system-figures';

const kept = [AlertBoard, CorrectionLog, RecentRefusals].map((Kept) => ({
  provide: Kept,
  inject: [REDIS],
  useFactory: (redis: RedisClient) => new Kept(redis),
}));

/** Each process shares its own figures. */
@Module({
  providers: [...kept, CorrectionWatch, FiringAlerts, OverviewWatch, RefusalCounts],
  exports: [...kept, FiringAlerts, RefusalCounts],
})
export class OverviewWorkerModule {}

@Module({
  imports: [
    ...[ActivityModule, ClaimLogApiModule, DispenserModule, GrabApiModule, OverviewWorkerModule],
    ...[PayoutModule, RedisMemoryModule, SecondPersonModule, WalletModule, WebhookModule],
  ],
  controllers: [OverviewController, ProgressController, RunbookController],
  providers: [
    OverviewRepository,
    OverviewService,
    ProgressService,
    RainsNowRepository,
    RainsNowService,
    SystemFigures,
  ],
})
export class OverviewApiModule {}
