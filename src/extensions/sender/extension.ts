import { addProblems, operationsOf } from '../../platform/http';
import type { Extension } from '../extension';
import { dayFull } from './sender.error';
import { deleteThanks } from './delete-thanks';
import { SenderApiModule } from './sender.module';

const BOUNDED = ['createActivity', 'topUpActivity'];

/**
 * The news of thanks names who said them. A webhook may be down for as long as its messages are tried, and what it has
 * not taken is then kept in Postgres.
 */
const RECENT_THANKS = `
  select 'thanks' as what, activity_id::text as id from thanks
   where thanked_at > now() - interval '1 day'
     and exists (select from claim where claim.activity_id = thanks.activity_id
                                     and claim.packet_no = thanks.packet_no and user_id = $1)`;

export const sender: Extension = {
  api: SenderApiModule,
  schema: {
    grants: {
      received_total: 'select, insert, update (newest, next, packets, amount_minor)',
      sender_day_count: 'select, insert, update (day, sum, days)',
      thanks: 'select, insert',
    },
    people: { received_total: ['user_id'], sender_day_count: ['user_id'] },
    underWay: RECENT_THANKS,
  },
  forgetting: { forgetClaims: deleteThanks },
  describe: (document) => {
    for (const { operation } of operationsOf(document))
      if (BOUNDED.includes(operation.operationId ?? '')) addProblems(operation, [dayFull]);
  },
};
