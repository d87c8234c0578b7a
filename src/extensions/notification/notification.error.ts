import { defineProblem } from '../../../libs/problem';

export const tooManyConnections = defineProblem({
  code: 'events.too_many_connections',
  status: 429,
  title: 'Too many event connections',
});

export const tooManyTickets = defineProblem({
  code: 'events.too_many_tickets',
  status: 429,
  title: 'Too many event tickets',
});

export const tooManyWatched = defineProblem({
  code: 'events.too_many_watched',
  status: 429,
  title: 'Too many watched activities',
});

export const eventsUnavailable = defineProblem({
  code: 'events.unavailable',
  status: 503,
  title: 'Events are not available',
});
