import { addProblems, operationsOf } from '../../platform/http';
import type { Extension } from '../extension';
import { dayFull } from './sender.error';
import { deleteThanks } from './delete-thanks';
import { SenderApiModule } from './sender.module';

const BOUNDED = ['createActivity', 'topUpActivity'];

export const sender: Extension = {
  api: SenderApiModule,
  schema: {
    grants: {
      received_total: 'select, insert, update (newest, next, packets, amount_minor)',
      sender_day_count: 'select, insert, update (day, sum, days)',
      thanks: 'select, insert',
    },
    people: { received_total: ['user_id'], sender_day_count: ['user_id'] },
  },
  forgetting: { forgetClaims: deleteThanks },
  describe: (document) => {
    for (const { operation } of operationsOf(document))
      if (BOUNDED.includes(operation.operationId ?? '')) addProblems(operation, [dayFull]);
  },
};
