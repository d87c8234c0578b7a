import { defineProblem } from '../../../libs/problem';

export const ticketRequired = defineProblem({
  code: 'grab.ticket_required',
  status: 403,
  title: 'This activity requires a ticket',
});

export const ticketInvalid = defineProblem({
  code: 'grab.ticket_invalid',
  status: 403,
  title: 'The ticket is not valid',
});

export const ticketKeyNotFound = defineProblem({
  code: 'ticket_key.not_found',
  status: 404,
  title: 'Ticket key not found',
});

export const tooManyTicketKeys = defineProblem({
  code: 'ticket_key.too_many',
  status: 409,
  title: 'The sponsor has too many ticket keys',
});
