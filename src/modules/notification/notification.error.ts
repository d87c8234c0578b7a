import { defineProblem } from '../../../libs/problem';

export const tooManyConnections = defineProblem({
  code: 'events.too_many_connections',
  status: 429,
  title: 'Too many event connections',
});

export const eventsUnavailable = defineProblem({
  code: 'events.unavailable',
  status: 503,
  title: 'Events are not available',
});
