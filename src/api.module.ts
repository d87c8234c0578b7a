import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityApiModule } from './core/activity';
import { AuditApiModule } from './core/audit';
import { ClaimLogApiModule } from './extensions/claim-log';
import { ExportApiModule } from './extensions/export';
import { FairnessApiModule } from './extensions/fairness';
import { GatewayApiModule } from './extensions/gateway';
import { GrabApiModule } from './core/grab';
import { HealthModule } from './core/health';
import { LifecycleApiModule } from './core/lifecycle';
import { NotificationApiModule } from './extensions/notification';
import { OverviewApiModule } from './extensions/overview';
import { PayoutApiModule } from './extensions/payout';
import { PreflightApiModule } from './extensions/preflight';
import { ReconciliationApiModule } from './core/reconciliation';
import { ReviewApiModule } from './extensions/review';
import { TicketApiModule } from './extensions/ticket';
import { WaitlistApiModule } from './extensions/waitlist';
import { WalletApiModule } from './core/wallet';
import { WebhookApiModule } from './extensions/webhook';
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
        HealthModule,
        ActivityApiModule,
        LifecycleApiModule,
        GrabApiModule,
        WaitlistApiModule,
        WalletApiModule,
        PayoutApiModule,
        ReviewApiModule,
        ReconciliationApiModule,
        PreflightApiModule,
        FairnessApiModule,
        ClaimLogApiModule,
        OverviewApiModule,
        ExportApiModule,
        AuditApiModule,
        NotificationApiModule,
        GatewayApiModule,
        WebhookApiModule,
        TicketApiModule,
      ],
    };
  }
}
