import { type DynamicModule, Module } from '@nestjs/common';
import { ActivityApiModule } from './modules/activity';
import { AuditApiModule } from './modules/audit';
import { ClaimLogApiModule } from './modules/claim-log';
import { ExportApiModule } from './modules/export';
import { FairnessApiModule } from './modules/fairness';
import { GatewayApiModule } from './modules/gateway';
import { GrabApiModule } from './modules/grab';
import { HealthModule } from './modules/health';
import { LifecycleApiModule } from './modules/lifecycle';
import { NotificationApiModule } from './modules/notification';
import { OverviewApiModule } from './modules/overview';
import { PayoutApiModule } from './modules/payout';
import { PreflightApiModule } from './modules/preflight';
import { ReconciliationApiModule } from './modules/reconciliation';
import { ReviewApiModule } from './modules/review';
import { TicketApiModule } from './modules/ticket';
import { WaitlistApiModule } from './modules/waitlist';
import { WalletApiModule } from './modules/wallet';
import { WebhookApiModule } from './modules/webhook';
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
