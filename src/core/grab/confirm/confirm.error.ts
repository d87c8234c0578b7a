import { defineProblem } from '../../../../libs/problem';

export const lookupsFull = defineProblem({
  code: 'grab.lookups_full',
  status: 503,
  title: 'Too many users are asking about their packets',
});

export const backlogFull = defineProblem({
  code: 'grab.backlog_full',
  status: 503,
  title: 'Too many packets are waiting for confirmation',
});
