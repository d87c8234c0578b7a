import { type DynamicModule, Module } from '@nestjs/common';
import { CurrencyModule } from './core/currency';
import { LifecycleWorkerModule } from './core/lifecycle';
import { GrabWorkerModule } from './core/grab';
import { WorkerHealthModule } from './core/health';
import { ReconciliationWorkerModule } from './core/reconciliation';
import { RecoveryWorkerModule } from './core/recovery';
import { WalletWorkerModule } from './core/wallet';
import { modulesOf } from './extensions';
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
        CurrencyModule,
        WorkerHealthModule,
        LifecycleWorkerModule,
        RecoveryWorkerModule,
        GrabWorkerModule,
        WalletWorkerModule,
        ReconciliationWorkerModule,
        ...modulesOf('worker'),
      ],
    };
  }
}
