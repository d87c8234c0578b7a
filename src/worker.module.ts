import { type DynamicModule, Module } from '@nestjs/common';
import { ApprovalWorkerModule } from './extensions/approval';
import { ClaimLogWorkerModule } from './extensions/claim-log';
import { LifecycleWorkerModule } from './core/lifecycle';
import { GrabWorkerModule } from './core/grab';
import { HealthModule } from './core/health';
import { NotificationWorkerModule } from './extensions/notification';
import { OverviewWorkerModule } from './extensions/overview';
import { PayoutWorkerModule } from './extensions/payout';
import { PreflightWorkerModule } from './extensions/preflight';
import { ReconciliationWorkerModule } from './core/reconciliation';
import { RecoveryWorkerModule } from './core/recovery';
import { WaitlistWorkerModule } from './extensions/waitlist';
import { WalletWorkerModule } from './core/wallet';
import { WebhookWorkerModule } from './extensions/webhook';
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
