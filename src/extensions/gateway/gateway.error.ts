import { defineProblem } from '../../../libs/problem';

export const upgradeRequired = defineProblem({
  code: 'gateway.upgrade_required',
  status: 426,
  title: 'Ask for a WebSocket',
});

export const tooManyConnections = defineProblem({
  code: 'gateway.too_many_connections',
  status: 429,
  title: 'Too many gateway connections',
});

export const tooManyUnanswered = defineProblem({
  code: 'gateway.too_many_unanswered',
  status: 429,
  title: 'Too many frames without an answer',
});

export const gatewayUnavailable = defineProblem({
  code: 'gateway.unavailable',
  status: 503,
  title: 'The gateway takes no more connections',
});
