export { Admissions } from './admissions';
export { ticketSchema } from './schema';
export { ticketInvalid, ticketRequired } from './ticket.error';
export { TicketKeyService } from './ticket-key.service';
export { TicketApiModule } from './ticket.module';
export { type Admitted, FREELY, TICKET_LENGTH_MAX } from './tickets';
