export { TicketKeyService } from './ticket-key.service';
export { TicketApiModule } from './ticket.module';
