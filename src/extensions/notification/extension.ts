import type { Extension } from '../extension';
import { describeEvents } from './describe-events';
import { NotificationApiModule, NotificationWorkerModule } from './notification.module';

export const notification: Extension = {
  api: NotificationApiModule,
  worker: NotificationWorkerModule,
  describe: describeEvents,
};
