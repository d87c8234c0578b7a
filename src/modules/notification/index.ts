export type { Notification } from './notification';
export { NotificationApiModule, NotificationModule, NotificationWorkerModule } from './notification.module';
export { NotificationPublisher } from './notification-publisher';
