export { Admissions } from './admissions';
export { ticketSchema } from './schema';
export { ticketInvalid, ticketRequired } from './ticket.error';
export { TicketApiModule } from './ticket.module';
export { TicketParam, TICKET_LENGTH_MAX } from './ticket-param';
export { type Admitted, FREELY } from './tickets';
