import type { Extension } from '../extension';
import { ticketSchema } from './schema';
import { TicketApiModule } from './ticket.module';

export const ticket: Extension = { api: TicketApiModule, schema: ticketSchema };
