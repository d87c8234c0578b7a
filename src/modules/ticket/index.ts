export { Admissions } from './admissions';
export { ticketSchema } from './schema';
export { ticketInvalid, ticketRequired } from './ticket.error';
export { TicketApiModule } from './ticket.module';
export { TICKET_SCHEMA, TicketHeader, TicketParam } from './ticket-param';
export { type Admitted, FREELY } from './tickets';
