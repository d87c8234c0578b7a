import type { Extension } from '../extension';
import { SenderApiModule } from './sender.module';

export const sender: Extension = {
  api: SenderApiModule,
  schema: {
    grants: {
      received_total: 'select, insert, update (newest, next, packets, amount_minor)',
      thanks: 'select, insert',
    },
  },
};
