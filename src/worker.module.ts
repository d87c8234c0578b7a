import { type DynamicModule, Module } from '@nestjs/common';
import { ApprovalWorkerModule } from './modules/approval';
import { ClaimLogWorkerModule } from './modules/claim-log';
import { LifecycleWorkerModule } from './modules/lifecycle';
import { GrabWorkerModule } from './modules/grab';
import { HealthModule } from './modules/health';
import { NotificationWorkerModule } from './modules/notification';
import { OverviewWorkerModule } from './modules/overview';
import { PayoutWorkerModule } from './modules/payout';
import { PreflightWorkerModule } from './modules/preflight';
import { ReconciliationWorkerModule } from './modules/reconciliation';
import { RecoveryWorkerModule } from './modules/recovery';
import { WaitlistWorkerModule } from './modules/waitlist';
import { WalletWorkerModule } from './modules/wallet';
import { WebhookWorkerModule } from './modules/webhook';
import { type AppConfig, ConfigModule } from './platform/config';
import { HttpModule, IdempotencyWorkerModule } from './platform/http';
import { PostgresModule } from './platform/postgres';
import { ConsumerQueueModule } from './platform/queue';
import { RedisModule } from './platform/redis';
import { ScheduleModule } from './platform/schedule';
import { TelemetryModule } from './platform/telemetry';
import { schema } from './schema';

/** The process that settles, sweeps and closes. It listens for probes and metrics only. */
@Module({})
export class WorkerModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forRoot(config),
        TelemetryModule,
        PostgresModule.forRoot(schema),
        RedisModule,
        ConsumerQueueModule,
        HttpModule,
        IdempotencyWorkerModule,
        ScheduleModule,
        HealthModule,
        LifecycleWorkerModule,
        RecoveryWorkerModule,
        GrabWorkerModule,
        ClaimLogWorkerModule,
        WaitlistWorkerModule,
        ApprovalWorkerModule,
        WalletWorkerModule,
        PayoutWorkerModule,
        ReconciliationWorkerModule,
        PreflightWorkerModule,
        OverviewWorkerModule,
        NotificationWorkerModule,
        WebhookWorkerModule,
      ],
    };
  }
}
