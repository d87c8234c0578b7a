import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityApiModule } from './core/activity';
import { AuditApiModule } from './core/audit';
import { CurrencyApiModule } from './core/currency';
import { GrabApiModule } from './core/grab';
import { HealthModule } from './core/health';
import { LifecycleApiModule } from './core/lifecycle';
import { ReconciliationApiModule } from './core/reconciliation';
import { WalletApiModule } from './core/wallet';
import { WinnersApiModule } from './core/winners';
import { modulesOf } from './extensions';
import { type AppConfig, ConfigModule } from './platform/config';
import { HttpModule, IdempotencyModule, SharedCountsModule } from './platform/http';
import { PostgresModule } from './platform/postgres';
import { ProducerQueueModule } from './platform/queue';
import { RedisModule } from './platform/redis';
import { ScheduleModule } from './platform/schedule';
import { TelemetryModule } from './platform/telemetry';
import { schema } from './schema';

/** The process that answers clients. */
@Module({})
export class ApiModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.forRoot(config),
        TelemetryModule,
        PostgresModule.forRoot(schema, { serving: true }),
        RedisModule,
        ProducerQueueModule,
        HttpModule,
        SharedCountsModule,
        IdempotencyModule,
        ScheduleModule,
        CurrencyApiModule,
        HealthModule,
        ActivityApiModule,
        LifecycleApiModule,
        GrabApiModule,
        WinnersApiModule,
        WalletApiModule,
        ReconciliationApiModule,
        AuditApiModule,
        ...modulesOf('api'),
      ],
    };
  }
}
