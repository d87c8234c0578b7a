import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Inboxes, MessageStream } from '../../../libs/redis-scripts';
import { REDIS } from '../../platform/redis';
import { EventGateway } from './event-gateway';
import { EventsController } from './events.controller';
import { EventStreams, FrontEnds } from './front-end';
import { NotificationPublisher } from './notification-publisher';
import { PushOnce } from './push-once';

/** Telling what has happened. */
@Module({
  providers: [
    { provide: MessageStream, inject: [REDIS], useFactory: (redis: Redis) => new MessageStream(redis) },
    { provide: Inboxes, inject: [REDIS], useFactory: (redis: Redis) => new Inboxes(redis) },
    EventStreams,
    FrontEnds,
    NotificationPublisher,
  ],
  exports: [FrontEnds, Inboxes, MessageStream, NotificationPublisher],
})
export class NotificationModule {}

/** What clients may ask: to be told. */
@Module({ imports: [NotificationModule], controllers: [EventsController], providers: [EventGateway] })
export class NotificationApiModule {}

/** What is done behind their backs: each message is pushed once. */
@Module({ imports: [NotificationModule], providers: [PushOnce] })
export class NotificationWorkerModule {}
