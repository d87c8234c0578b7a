import { addProblems, operationsOf } from '../../platform/http';
import type { Extension } from '../extension';
import { dayFull } from './sender.error';
import { SenderApiModule } from './sender.module';
import { deleteThanks } from './thanks.repository';

const BOUNDED = ['createActivity', 'topUpActivity'];

/**
 * The news of thanks names who said them, and to whom. A webhook may be down for as long as its messages are tried, and
 * what it has not accepted is then kept in Postgres.
 *
 * An erasure asks this while others wait for its locks. `offset 0` keeps the planner from reading all claims, which
 * have no index by their users: there are few activities in whose rains someone has said thanks within a day.
 */
const RECENT_THANKS = `
  select 'thanks' as what, thanked.activity_id::text as id
    from (select distinct activity_id from thanks where thanked_at > now() - interval '1 day') as thanked
    left join lateral (select packet_no from claim
                        where claim.activity_id = thanked.activity_id and user_id = $1 offset 0) as won on true
   where exists (select from thanks
                  where thanks.activity_id = thanked.activity_id and thanks.packet_no = won.packet_no
                    and thanked_at > now() - interval '1 day')
      or exists (select from activity where activity.id = thanked.activity_id and sponsor_id = $1)`;

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
