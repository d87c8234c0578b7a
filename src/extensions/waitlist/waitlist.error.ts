import { defineProblem } from '../../../libs/problem';

export const notWaiting = defineProblem({
  code: 'waitlist.not_waiting',
  status: 404,
  title: 'You are not waiting for a packet of this activity',
});

export const nothingToWaitFor = defineProblem({
  code: 'waitlist.nothing_to_wait_for',
  status: 409,
  title: 'There is nothing to wait for',
});

export const waitlistFull = defineProblem({
  code: 'waitlist.full',
  status: 409,
  title: 'The waiting list is full',
});

export const waitlistUnavailable = defineProblem({
  code: 'waitlist.unavailable',
  status: 503,
  title: 'The waiting list cannot be reached right now',
});
