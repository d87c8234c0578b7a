import type { Extension } from '../extension';
import { NotificationApiModule, NotificationWorkerModule } from './notification.module';

export const notification: Extension = { api: NotificationApiModule, worker: NotificationWorkerModule };
