export { Channel, Channels } from './channel';
export { type EventName, EVENTS, type Notification } from './notification';
export { NotificationApiModule, NotificationModule, NotificationWorkerModule } from './notification.module';
export { NotificationPublisher } from './notification-publisher';
