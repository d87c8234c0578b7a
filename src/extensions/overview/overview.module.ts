import { Module } from '@nestjs/common';
import { CorrectionLog, type RedisClient } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { ActivityModule } from '../../core/activity';
import { DispenserModule, RedisMemoryModule } from '../../core/dispenser';
import { GrabApiModule } from '../../core/grab';
import { SecondPersonModule } from '../../core/second-person';
import { PayoutModule } from '../payout';
import { WebhookModule } from '../webhook';
import { CorrectionWatch } from './correction-watch';
import { OverviewController } from './overview.controller';
import { OverviewRepository } from './overview.repository';
import { OverviewService } from './overview.service';
import { RainsNowRepository } from './rains-now.repository';
import { RainsNowService } from './rains-now.service';
import { ProgressController } from './progress.controller';
import { ProgressService } from './progress.service';

const correctionLog = {
  provide: CorrectionLog,
  inject: [REDIS],
  useFactory: (redis: RedisClient) => new CorrectionLog(redis),
};

@Module({
  imports: [
    ...[ActivityModule, DispenserModule, GrabApiModule, PayoutModule, RedisMemoryModule],
    ...[SecondPersonModule, WebhookModule],
  ],
  controllers: [OverviewController, ProgressController],
  providers: [
    correctionLog,
    CorrectionWatch,
    OverviewRepository,
    OverviewService,
    ProgressService,
    RainsNowRepository,
    RainsNowService,
  ],
})
export class OverviewApiModule {}

/** The worker's share: its processes publish their own corrections. */
@Module({ providers: [correctionLog, CorrectionWatch] })
export class OverviewWorkerModule {}
