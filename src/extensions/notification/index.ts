export { Channel, Channels } from './channel';
export { dataOf, EXAMPLES } from './event-data.dto';
export { EventGateway } from './event-gateway';
export { BEHIND_BYTES_MAX, type EventSink, readEntry } from './event-sink';
export { EVENT_ID } from './events.dto';
export { type EventName, EVENTS, messageIdOf, type Notification, publicDataOf } from './notification';
export { NotificationApiModule, NotificationModule, NotificationWorkerModule } from './notification.module';
export { NotificationPublisher } from './notification-publisher';
