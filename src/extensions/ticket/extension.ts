import type { Extension } from '../extension';
import { TicketApiModule } from './ticket.module';

export const ticket: Extension = {
  api: TicketApiModule,
  schema: {
    grants: { ticket_key: 'select, insert, update (deleted_at, secret)' },
    people: { ticket_key: ['sponsor_id'] },
  },
};
