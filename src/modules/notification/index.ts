export { Channel, Channels } from './channel';
export { dataOf, EXAMPLES } from './event-data.dto';
export { type EventName, EVENTS, messageIdOf, type Notification, publicDataOf } from './notification';
export { NotificationApiModule, NotificationModule, NotificationWorkerModule } from './notification.module';
export { NotificationPublisher } from './notification-publisher';
