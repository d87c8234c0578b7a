import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunTimeQueues } from '../../platform/queue';
import { AuditModule } from '../../core/audit';
import { DispenserModule, RedisMemoryModule } from '../../core/dispenser';
import { NotificationModule } from '../notification';
import { UndeliveredRepository } from './undelivered.repository';
import { UndeliveredSweep } from './undelivered-sweep';
import { WebhookChannel } from './webhook-channel';
import { WebhookController } from './webhook.controller';
import { WebhookDeliveries } from './webhook-deliveries';
import { WebhookDirectory } from './webhook-directory';
import { WebhookRow } from './webhook.entity';
import { WebhookQueues } from './webhook-queues';
import { WebhookRepository } from './webhook.repository';
import { WebhookSender } from './webhook-sender';
import { WebhookService } from './webhook.service';
import { WebhookTrial } from './webhook-trial';
import { WebhookWatch } from './webhook-watch';

/** API and worker both ask whether an event has a listener. */
@Module({
  imports: [NotificationModule, RedisMemoryModule, TypeOrmModule.forFeature([WebhookRow])],
  providers: [
    RunTimeQueues,
    UndeliveredRepository,
    WebhookChannel,
    WebhookDirectory,
    WebhookQueues,
    WebhookRepository,
  ],
  exports: [UndeliveredRepository, WebhookDirectory, WebhookQueues, WebhookRepository],
})
export class WebhookModule {}

@Module({
  imports: [AuditModule, WebhookModule],
  controllers: [WebhookController],
  providers: [WebhookService, WebhookTrial],
})
export class WebhookApiModule {}

@Module({
  imports: [DispenserModule, WebhookModule],
  providers: [UndeliveredSweep, WebhookDeliveries, WebhookSender, WebhookWatch],
})
export class WebhookWorkerModule {}
