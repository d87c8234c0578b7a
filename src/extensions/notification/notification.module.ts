import { Global, Module } from '@nestjs/common';
import { Inboxes, MessageStream, type RedisClient } from '../../../libs/redis-scripts';
import { AppConfig } from '../../platform/config';
import { TicketVerifier } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import { ActivityModule } from '../../core/activity';
import { DispenserModule, RedisMemoryModule } from '../../core/dispenser';
import { NewsModule } from '../../core/news';
import { EventStreams, NotificationChannels } from './notification-channel';
import { EventGateway } from './event-gateway';
import { EventTickets } from './event-tickets';
import { EventsController } from './events.controller';
import { NotificationBudget } from './notification-budget';
import { NotificationPublisher } from './notification-publisher';
import { NotificationPusher } from './notification-pusher';
import { WatchableActivities } from './watchable-activities';

@Module({
  imports: [DispenserModule, NewsModule, RedisMemoryModule],
  providers: [
    {
      provide: MessageStream,
      inject: [REDIS, AppConfig],
      useFactory: (redis: RedisClient, config: AppConfig) =>
        new MessageStream(redis, config.NOTIFICATIONS_MAX),
    },
    {
      provide: Inboxes,
      inject: [REDIS, AppConfig],
      useFactory: (redis: RedisClient, config: AppConfig) => new Inboxes(redis, config.NOTIFICATIONS_MAX),
    },
    NotificationChannels,
    EventStreams,
    NotificationBudget,
    NotificationPublisher,
  ],
  exports: [NotificationChannels, Inboxes, MessageStream],
})
export class NotificationModule {}

/** Global because the guard of all routes needs them. */
@Global()
@Module({
  providers: [EventTickets, { provide: TicketVerifier, useExisting: EventTickets }],
  exports: [EventTickets, TicketVerifier],
})
class EventTicketsModule {}

@Module({
  imports: [ActivityModule, EventTicketsModule, NotificationModule],
  controllers: [EventsController],
  providers: [EventGateway, WatchableActivities],
  exports: [EventGateway],
})
export class NotificationApiModule {}

@Module({ imports: [DispenserModule, NotificationModule], providers: [NotificationPusher] })
export class NotificationWorkerModule {}
