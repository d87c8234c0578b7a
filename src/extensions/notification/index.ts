export { NotificationChannel, NotificationChannels } from './notification-channel';
export { ANY_EVENT } from './describe-events';
export { EventGateway } from './event-gateway';
export { BEHIND_BYTES_MAX, type EventSink, readEntry } from './event-sink';
export { EVENT_ID } from './events.dto';
export { messageIdOf, type Notification, publicDataOf } from './notification';
export { NotificationApiModule, NotificationModule } from './notification.module';
