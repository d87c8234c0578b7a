import type { Extension } from '../extension';
import { HistoryApiModule, HistoryWorkerModule } from './history.module';

export const history: Extension = {
  api: HistoryApiModule,
  worker: HistoryWorkerModule,
  schema: { grants: { tap_minute: 'select, insert, update, delete' } },
};
